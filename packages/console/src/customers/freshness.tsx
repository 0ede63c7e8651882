import { useText } from '../text/text.ts';
import { formatTime } from '../ui/format-time.tsx';
import { Icon } from '../ui/icon.tsx';
import { useCountdown } from '../ui/use-countdown.ts';
import { useNow } from '../ui/use-now.ts';
import type { List } from './use-shown-list.ts';

/** How old the rows are or that they are loading, and a button to refresh them. That they are counted is said elsewhere. */
export function Freshness({ list }: { list: List }) {
  const text = useText();
  const { t, ago, time } = text;
  const now = useNow();
  const seconds = useCountdown(list.retryAt);
  const loading = list.isCounting && list.loading !== 'retrying' ? null : list.loading;
  const at = list.rows && list.isCurrent ? new Date(list.rows.updatedAt) : undefined;
  const age = () => {
    if (!at || loading) return null;
    if (seconds > 0) return t('problem.retryIn', { seconds });
    const { asOf } = list.rows!;
    if (asOf === 'unknown') return t('fresh.unknown');
    if (asOf) return formatTime(asOf, text, t('fresh.asOf', { time: time(asOf) }));
    return formatTime(at, text, t('fresh.updated', { when: ago(at, Math.max(now, at.getTime())) }));
  };
  return (
    <p className="freshness">
      <span role="status">{loading && t(`fresh.${loading}`)}</span>
      {age()}
      <button
        type="button"
        className="button bare"
        aria-label={t('refresh')}
        title={`${t('refresh')} (r)`}
        aria-disabled={seconds > 0}
        onClick={list.refresh}
      >
        <Icon name="refresh" />
      </button>
    </p>
  );
}
