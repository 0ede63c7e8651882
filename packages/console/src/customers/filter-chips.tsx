import type { MouseEvent } from 'react';
import type { Filters } from '../filters.ts';
import { useText } from '../text/text.ts';
import { Icon } from '../ui/icon.tsx';
import { filterButtonId } from './filter-menu.tsx';
import { namedFilters } from './filter-names.ts';
import { openFiltered } from './open-search.ts';

/** The active filters, each with a button that removes it. */
export function FilterChips({ filters }: { filters: Filters }) {
  const text = useText();
  const named = namedFilters(filters, text);
  if (named.length === 0) return null;

  const remove = ({ currentTarget }: MouseEvent, others: Filters) => {
    // The pressed button disappears with its chip.
    const chip = currentTarget.closest('li')!;
    const next = (chip.nextElementSibling ?? chip.previousElementSibling)?.querySelector('button');
    (next ?? document.getElementById(filterButtonId))?.focus();
    openFiltered(others);
  };
  return (
    <ul className="chips" aria-label={text.t('filter.active')}>
      {named.map(({ id, name, others }) => (
        <li key={id}>
          <span>{name}</span>
          <button
            type="button"
            className="button bare"
            aria-label={text.t('filter.remove', { filter: name })}
            title={text.t('filter.remove', { filter: name })}
            onClick={(event) => remove(event, others)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
