import type { Text } from '../text/text.ts';

/** Stands for a value that the caller may not see, whether there is one or not. Hovering shows why. */
export const hidden = ({ t }: Text) => (
  <span className="nothing hidden-value" title={t('value.hiddenWhy')}>
    {t('value.hidden')}
  </span>
);
