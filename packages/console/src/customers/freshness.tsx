import { useText } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { Icon } from '../ui/icon.tsx';
import { useLasting } from '../ui/use-lasting.ts';
import { useNow } from '../ui/use-now.ts';

interface Props {
  updatedAt: number | undefined;
  isFetching: boolean;
  refresh: () => void;
}

/** How old the rows are, and a button to refresh them. */
export function Freshness({ updatedAt, isFetching, refresh }: Props) {
  const text = useText();
  const { t, ago } = text;
  const now = useNow();
  // Failed requests are retried up to three times, which takes seconds.
  const isSlow = useLasting(isFetching, 1_500);
  const at = updatedAt === undefined ? undefined : new Date(updatedAt);
  return (
    <p className="freshness">
      <span>
        {isSlow
          ? t('fresh.slow')
          : at &&
            formatTime(
              at,
              text,
              t('fresh.updated', { when: ago(at, Math.max(now, at.getTime())) }),
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
