import { useEffect, useState } from 'react';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { useNow } from '../ui/use-now.ts';

interface Props {
  updatedAt: number | undefined;
  isFetching: boolean;
  refresh: () => void;
}

/** How old the rows are, and a way to have newer ones. */
export function Freshness({ updatedAt, isFetching, refresh }: Props) {
  const { t, ago, instant } = useText();
  const now = useNow();
  const isSlow = useIsSlow(isFetching);
  const at = updatedAt === undefined ? undefined : new Date(updatedAt);
  return (
    <p className="freshness">
      <span>
        {isSlow
          ? t('fresh.slow')
          : at && (
              <time
                dateTime={at.toISOString()}
                onPointerEnter={({ currentTarget }) => (currentTarget.title = instant(at))}
              >
                {t('fresh.updated', { when: ago(at, Math.max(now, at.getTime())) })}
              </time>
            )}
      </span>
      <button
        type="button"
        className="button bare"
        aria-label={t('refresh')}
        title={`${t('refresh')} (r)`}
        onClick={refresh}
      >
        <Icon name="refresh" />
      </button>
    </p>
  );
}

/** The query layer asks up to four times before it gives up; a reader should know that it does. */
function useIsSlow(isFetching: boolean): boolean {
  const [isSlow, setIsSlow] = useState(false);
  useEffect(() => {
    if (!isFetching) return undefined;
    const timer = setTimeout(setIsSlow, 1_500, true);
    return () => {
      clearTimeout(timer);
      setIsSlow(false);
    };
  }, [isFetching]);
  return isSlow;
}
