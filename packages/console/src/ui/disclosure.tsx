import { useEffect, useId, useRef, useState, type ReactNode, type RefObject } from 'react';

interface Props {
  label: ReactNode;
  className?: string;
  /** Receives the button, for commands that press it. */
  button?: RefObject<HTMLButtonElement | null>;
  /** Of the button. */
  id?: string;
  shortcut?: string;
  children: ReactNode;
}

/** A button that shows a panel. Escape, a click outside and moving the focus out close it. */
export function Disclosure(props: Props) {
  const { label, className = 'button', button: given, id: buttonId, shortcut, children } = props;
  const [open, setOpen] = useState(false);
  const id = useId();
  const whole = useRef<HTMLDivElement>(null);
  const own = useRef<HTMLButtonElement>(null);
  const button = given ?? own;

  useEffect(() => {
    if (!open) return undefined;
    const outside = ({ target }: Event) => {
      if (!whole.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
    };
  }, [open]);

  return (
    <div
      className="disclosure"
      ref={whole}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      <button
        type="button"
        ref={button}
        id={buttonId}
        className={className}
        aria-keyshortcuts={shortcut}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {label}
      </button>
      <div id={id} className="disclosed" hidden={!open}>
        {open && children}
      </div>
    </div>
  );
}
