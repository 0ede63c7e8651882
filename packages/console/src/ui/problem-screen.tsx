import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useText } from '../text/text.ts';

interface Props {
  title: string;
  text: string;
  requestId?: string | undefined;
  /** The actions offered. */
  children?: ReactNode;
}

/** What happened, what to do, and the request ID to report. */
export function ProblemScreen({ title, text, requestId, children }: Props) {
  const { t } = useText();
  const screen = useRef<HTMLDivElement>(null);

  // The pressed button disappears with this screen; move the focus so that it is not lost.
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
