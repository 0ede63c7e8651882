import { Icon } from './icon.tsx';

interface Props {
  label: string;
  /** Whether the label is visible, not only spoken and shown on hover. */
  isLabelled?: boolean;
  shortcut?: string;
  /** Shown over the button, so that nothing moves. */
  message: string | undefined;
  onClick: () => void;
}

export function CopyButton({ label, isLabelled = false, shortcut, message, onClick }: Props) {
  return (
    <button
      type="button"
      className={isLabelled ? 'button copy' : 'button bare copy'}
      aria-label={isLabelled ? undefined : label}
      aria-keyshortcuts={shortcut}
      title={isLabelled ? undefined : label}
      onClick={onClick}
    >
      <Icon name="copy" />
      {isLabelled && label}
      {shortcut !== undefined && <kbd aria-hidden="true">{shortcut}</kbd>}
      {message !== undefined && (
        <span className="copied" aria-hidden="true">
          {message}
        </span>
      )}
    </button>
  );
}
