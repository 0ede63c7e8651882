import type { WireSuggestion } from '@clientele/client';
import { hrefOf } from '../address.ts';
import { useSettings } from '../settings.ts';
import { useText } from '../text/text.ts';
import { Link } from '../ui/link.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { addressOfSearch, openSearch } from './open-search.ts';

interface Props {
  /** The best one first. */
  suggestions: readonly WireSuggestion[];
  title: string;
}

/** Searches to try instead of one without a match, or with few. Below everything else, because they arrive later. */
export function Suggestions({ suggestions, title }: Props) {
  const { t } = useText();
  const { letterKeys } = useSettings();
  const [first] = suggestions;
  useKeys({ ...(first && { y: () => openSearch(first.search) }) });
  if (!first) return null;
  return (
    <section className="suggestions" aria-labelledby="suggestions">
      <h2 id="suggestions">{title}</h2>
      <ul>
        {suggestions.map(({ search, total }) => (
          <li key={search}>
            <Link
              href={hrefOf(addressOfSearch(search))}
              follow={() => openSearch(search)}
              aria-keyshortcuts={search === first.search && letterKeys ? 'y' : undefined}
            >
              <span dir="auto">{search}</span>
            </Link>{' '}
            <span className="total">{t('matches.count', { count: total })}</span>
            {search === first.search && letterKeys && <kbd aria-hidden="true">y</kbd>}
          </li>
        ))}
      </ul>
    </section>
  );
}
