import {
  customerQuery,
  customersQuery,
  isApiError,
  limits,
  type Customer,
} from '@clientele/client';
import { useCustomersService } from '@clientele/client/react';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { go, useAddress } from '../address.ts';
import { hasFilters, listKey, noFilters, onlySort, readFilters, withoutSort } from '../filters.ts';
import { keptPins, keptRecent, togglePin } from '../kept.ts';
import { fold } from '../search/fold.ts';
import { isMatch, parseSearch, wholeNamesFirst } from '../search/matches.ts';
import { useAllowed } from '../session/allowed.ts';
import { changeSettings, useSettings } from '../settings.ts';
import type { MessageName } from '../text/messages.ts';
import { useText, type Text } from '../text/text.ts';
import { commandOf } from '../ui/use-keys.ts';
import { namedCommands } from './all-keys.ts';
import { searchableOf } from './columns.tsx';
import { useLinkEntries } from './customer-links.tsx';
import { filterNames } from './filter-names.ts';
import { orderName } from './order-menu.tsx';
import { addressOfCustomer, openFiltered, openSearch } from './open-search.ts';
import type { PaletteEntry } from './palette-entry.ts';

interface Group {
  title: MessageName;
  entries: PaletteEntry[];
}

/**
 * What the palette offers for a text. What this browser knows comes first and at once; customers that
 * the service finds come last, so that an answer never moves the entry that Enter would run.
 */
export function usePaletteEntries(text: string): { groups: Group[]; isSearching: boolean } {
  const allowed = useAllowed();
  const search = parseSearch(text);
  const recent = useRecentCustomers().filter(
    (customer) => text === '' || isMatch(searchableOf(customer), search),
  );
  const { customers, isSearching } = useFoundCustomers(text);
  const words = useText();
  const { t } = words;
  const commands = useCommands();

  const isNamed = ({ label }: PaletteEntry) =>
    fold(text)
      .split(' ')
      .every((word) => ` ${fold(label)}`.includes(` ${word}`));

  const pins = allowed.list ? keptPins() : [];
  const known: Group[] = [
    { title: 'palette.recent', entries: recent.map(openCustomer) },
    { title: 'palette.pinned', entries: pins.map((pin) => pinEntry(pin, words)).filter(isNamed) },
  ];
  const groups: Group[] = [
    // A pin that is typed was named by somebody; a recent customer may only contain the letters.
    ...(text === '' ? known : known.toReversed()),
    { title: 'palette.commands', entries: commands.filter(isNamed) },
    {
      title: 'palette.search',
      entries:
        text === '' || !allowed.search
          ? []
          : [{ ...searchEntry(text), label: t('palette.searchFor', { search: text }) }],
    },
    {
      title: 'customers',
      entries: (allowed.open ? customers : [])
        .filter(({ id }) => !recent.some((other) => other.id === id))
        .map(openCustomer),
    },
  ];
  return { groups: groups.filter(({ entries }) => entries.length > 0), isSearching };
}

const searchEntry = (search: string): PaletteEntry => ({
  id: `search ${search}`,
  icon: 'search',
  label: search,
  run: () => openSearch(search),
});

/** A list as people call it: its search, its filters and its order. */
function nameOfList(list: string, text: Text): string {
  const values = new URLSearchParams(list);
  const filters = readFilters(values);
  const parts = [
    values.get('search') ?? '',
    filterNames(filters, text),
    filters.sort ? orderName(filters, text) : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function pinEntry(list: string, text: Text): PaletteEntry {
  const values = new URLSearchParams(list);
  const search = values.get('search') ?? '';
  return {
    id: `pin ${list}`,
    icon: 'pin',
    label: nameOfList(list, text),
    run: () => openSearch(search, readFilters(values)),
  };
}

const openCustomer = ({ id, name, company, email }: Customer): PaletteEntry => ({
  id,
  icon: 'person',
  label: name,
  detail: [company, email].filter(Boolean).join(' · '),
  run: () => go(addressOfCustomer(id), 'push'),
});

/** Names are not kept: they come from the cache or from the service. */
function useRecentCustomers(): Customer[] {
  const service = useCustomersService();
  const queryClient = useQueryClient();
  const [kept] = useState(keptRecent);
  const ids = useAllowed().open ? kept : [];
  const results = useQueries({
    queries: ids.map((id) => ({ ...customerQuery(service, id, queryClient), retry: false })),
  });
  return results.flatMap(({ data, error }) =>
    isApiError(error, 'customer-not-found') ? [] : (data ?? []),
  );
}

function useFoundCustomers(text: string) {
  const service = useCustomersService();
  const allowed = useAllowed();
  const [search, setSearch] = useState('');
  useEffect(() => {
    const longest = [...text].slice(0, limits.search.maxCodePoints).join('');
    const timer = setTimeout(setSearch, 150, longest);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, isFetching } = useQuery({
    ...customersQuery(service, { search, perPage: 6 }),
    enabled: search !== '' && allowed.search,
    retry: false,
  });
  // Never the answer to another text.
  const isCurrent = search === text && text !== '';
  return {
    customers: isCurrent ? wholeNamesFirst(data?.items ?? [], text) : [],
    isSearching: text !== '' && allowed.search && (isFetching || !isCurrent),
  };
}

function useCommands(): PaletteEntry[] {
  const text = useText();
  const { t } = text;
  const { theme, density, language } = useSettings();
  const allowed = useAllowed();
  const { search = '', filters = noFilters } = useAddress() ?? {};
  const command = (name: MessageName, run: () => void): PaletteEntry => ({
    id: name,
    icon: 'right',
    label: t(name),
    run,
  });
  const keyed = namedCommands.flatMap(([key, name]) => {
    const run = commandOf(key);
    return run ? [{ ...command(name, run), shortcut: key }] : [];
  });
  const list = listKey({ search, filters });
  const isWhole = list === listKey({ search: '', filters: noFilters });
  const pin: PaletteEntry = {
    ...command('palette.pin', () => togglePin(list)),
    icon: 'pin',
    label: t(keptPins().includes(list) ? 'palette.unpin' : 'palette.pin', {
      list: nameOfList(list, text),
    }),
  };
  return [
    ...(isWhole || !allowed.list ? [] : [pin]),
    ...keyed,
    ...useLinkEntries(),
    ...(filters.sort && allowed.list
      ? [command('order.reset', () => openFiltered(withoutSort(filters)))]
      : []),
    ...(hasFilters(filters) && allowed.list
      ? [command('filter.clear', () => openFiltered(onlySort(filters)))]
      : []),
    ...(allowed.list ? [command('palette.all', () => openSearch(''))] : []),
    theme === 'dark'
      ? command('palette.light', () => changeSettings({ theme: 'light' }))
      : command('palette.dark', () => changeSettings({ theme: 'dark' })),
    density === 'dense'
      ? command('palette.regular', () => changeSettings({ density: 'regular' }))
      : command('palette.dense', () => changeSettings({ density: 'dense' })),
    command('palette.language', () =>
      changeSettings({ language: language === 'en' ? 'de' : 'en' }),
    ),
  ];
}
