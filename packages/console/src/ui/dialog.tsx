import { useEffect, useId, useRef, type ReactNode } from 'react';
import { useText } from '../text/text.ts';
import { Icon } from './icon.tsx';

interface Props {
  title: string;
  onClose: () => void;
  isWide?: boolean;
  children: ReactNode;
}

/** The browser's modal dialog, which traps the focus and restores it on closing. */
export function Dialog({ title, onClose, isWide, children }: Props) {
  const { t } = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();

  useEffect(() => dialog.current?.showModal(), []);

  return (
    <dialog
      ref={dialog}
      className={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onClose={onClose}
      onKeyDown={(event) => {
        // A closed dialog may have the focus for a moment, and keys belong to the page again.
        if (event.currentTarget.open) event.stopPropagation();
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button
          type="button"
          className="button bare"
          aria-label={t('close')}
          onClick={() => dialog.current?.close()}
        >
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}
