import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useText } from '../text/text.ts';

interface Props {
  title: string;
  text: string;
  requestId?: string | undefined;
  /** What to do about it. */
  children?: ReactNode;
}

/** Says what happened, what to do, and what to quote. */
export function ProblemScreen({ title, text, requestId, children }: Props) {
  const { t } = useText();
  const screen = useRef<HTMLDivElement>(null);

  // What was pressed here helped, and goes with the screen; the focus must not go with it.
  useLayoutEffect(() => {
    const { current } = screen;
    return () => {
      if (current?.contains(document.activeElement)) document.getElementById('main')?.focus();
    };
  }, []);

  return (
    <div className="problem" role="alert" ref={screen}>
      <h2>{title}</h2>
      <p>{text}</p>
      {children && <div className="actions">{children}</div>}
      {requestId !== undefined && (
        <p className="request">
          {t('problem.request')} <code>{requestId}</code>
        </p>
      )}
    </div>
  );
}
