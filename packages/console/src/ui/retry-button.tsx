import { useText } from '../text/text.ts';
import { useRecovery } from './use-recovery.ts';
import { useCountdown } from './use-countdown.ts';

interface Props {
  /** When the server accepts the next request, like `Date.now()`; 0 for now. */
  at: number;
  retry: () => void;
  /** What failed may pass by itself: then the button is pressed by itself. */
  isAutomatic: boolean;
}

/** Counts down and does nothing until the server accepts the next request. */
export function RetryButton({ at, retry, isAutomatic }: Props) {
  const { t } = useText();
  const seconds = useCountdown(at);
  useRecovery(isAutomatic, at, retry);
  return (
    // Within an alert, every second would be announced.
    <span aria-live="off">
      <button
        type="button"
        className="button primary"
        aria-disabled={seconds > 0}
        onClick={() => seconds === 0 && retry()}
      >
        {seconds > 0 ? t('problem.retryIn', { seconds }) : t('problem.retry')}
      </button>
    </span>
  );
}
