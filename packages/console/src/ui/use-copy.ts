import { useEffect, useState } from 'react';
import { useText } from '../text/text.ts';

/** Copies to the clipboard, and says for a moment what was copied. */
export function useCopy() {
  const { t } = useText();
  const [last, setLast] = useState<{ what: string; value: string; isDone: boolean }>();

  useEffect(() => {
    if (!last) return undefined;
    const timer = setTimeout(setLast, 2_500, undefined);
    return () => clearTimeout(timer);
  }, [last]);

  return {
    copy: (what: string, value: string) => {
      navigator.clipboard.writeText(value).then(
        () => setLast({ what, value, isDone: true }),
        () => setLast({ what, value, isDone: false }),
      );
    },
    /** For the button that copies this. */
    messageFor: (what: string) =>
      last?.what === what ? t(last.isDone ? 'copy.short' : 'copy.failed') : undefined,
    /** For screen readers. */
    status: last && (last.isDone ? t('copy.done', { value: last.value }) : t('copy.failed')),
  };
}
