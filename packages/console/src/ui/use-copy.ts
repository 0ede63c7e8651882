import { useEffect, useState } from 'react';
import { useText } from '../text/text.ts';

interface Outcome {
  what: string;
  /** Over the button that copies this. */
  short: string;
  /** For screen readers. */
  status: string;
}

/** Copies to the clipboard, and says for a moment what was copied, or that nothing was. */
export function useCopy() {
  const { t } = useText();
  const [last, setLast] = useState<Outcome>();

  useEffect(() => {
    if (!last) return undefined;
    const timer = setTimeout(setLast, 2_500, undefined);
    return () => clearTimeout(timer);
  }, [last]);

  const say = (what: string, short: string, status = short) => setLast({ what, short, status });
  return {
    copy: (what: string, value: string) => {
      // Without TLS there is no clipboard to ask.
      const write = async () => navigator.clipboard.writeText(value);
      write().then(
        () => say(what, t('copy.short'), t('copy.done', { value })),
        () => say(what, t('copy.failed')),
      );
    },
    /** The clipboard still has what was copied before, perhaps another customer's number. */
    refuse: (what: string, why: string) => say(what, why),
    messageFor: (what: string) => (last?.what === what ? last.short : undefined),
    status: last?.status,
  };
}
