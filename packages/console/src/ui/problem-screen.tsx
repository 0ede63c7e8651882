import type { ReactNode } from 'react';
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
  return (
    <div className="problem" role="alert">
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
