/** Filters in words. */
import { isWholeDay, lastDayOf, type Filters } from '../filters.ts';
import { dayText, periodText } from '../text/periods.ts';
import type { Text } from '../text/text.ts';

export interface NamedFilter {
  id: 'verified' | 'hasOrders' | 'joined';
  name: string;
  /** The other filters. */
  others: Filters;
}

export function namedFilters(filters: Filters, text: Text): NamedFilter[] {
  const { verified, hasOrders, joinedFrom, joinedTo } = filters;
  const named: NamedFilter[] = [];
  if (verified !== undefined) {
    const { verified: _, ...others } = filters;
    const name = text.t(verified ? 'value.verified' : 'value.unverified');
    named.push({ id: 'verified', name, others });
  }
  if (hasOrders !== undefined) {
    const { hasOrders: _, ...others } = filters;
    const name = text.t(hasOrders ? 'filter.orders' : 'filter.noOrders');
    named.push({ id: 'hasOrders', name, others });
  }
  if (joinedFrom !== undefined || joinedTo !== undefined) {
    const { joinedFrom: _, joinedTo: __, ...others } = filters;
    named.push({ id: 'joined', name: joinedName(filters, text), others });
  }
  return named;
}

export const filterNames = (filters: Filters, text: Text): string =>
  namedFilters(filters, text)
    .map(({ name }) => name)
    .join(', ');

function joinedName({ joinedFrom, joinedTo }: Filters, { t, locale }: Text): string {
  const from = joinedFrom === undefined ? undefined : new Date(joinedFrom);
  const to = joinedTo === undefined ? undefined : new Date(joinedTo);
  const areDays = isWholeDay(joinedFrom ?? '') && isWholeDay(joinedTo ?? '');
  if (from && to) {
    return t('filter.joined', { period: periodText(locale, areDays ? 'day' : 'hour', from, to) });
  }
  if (from) return t('filter.joinedFrom', { day: dayText(locale, from, areDays) });
  const last = areDays ? new Date(lastDayOf(joinedTo!)) : to!;
  return t(areDays ? 'filter.joinedTo' : 'filter.joinedBefore', {
    day: dayText(locale, last, areDays),
  });
}
