/** The searches that lead from one customer to others. */
import { customersQuery, limits, type Customer } from '@clientele/client';
import { useCustomersService } from '@clientele/client/react';
import { useQuery } from '@tanstack/react-query';
import { fold } from '../search/fold.ts';
import { useLasting } from '../ui/use-lasting.ts';
import { useQueryRecovery } from '../ui/use-recovery.ts';

const { maxTerms, maxCodePoints } = limits.search;
const checked = 20;

/** The beginning of a very long name: the service limits searches. */
export function searchForCompany({ company }: Customer): string | null {
  const terms = (company ?? '').split(/\s+/).filter((term) => term !== '');
  const search = [...terms.slice(0, maxTerms).join(' ')].slice(0, maxCodePoints).join('');
  return search.trim() || null;
}

/** Null where the address is hidden. */
export const searchForDomain = ({ email }: Customer): string | null =>
  email.slice(email.lastIndexOf('@')) || null;

/** As the service compares them: without punctuation and leading zeros. */
const digitsOf = (phone: string | null) => (phone ?? '').replaceAll(/\D/g, '').replace(/^0+/, '');
const minDigits = 6;

interface Duplicate {
  customer: Customer;
  same: 'email' | 'phone' | 'name';
}

/** Everybody of one company has its name; only their own makes them the same person. */
function searchForNamesake({ name, company }: Customer): string | null {
  if (company === null) return null;
  const terms = `${name} ${company}`.split(/\s+/).filter((term) => term !== '');
  return [...terms.slice(0, maxTerms).join(' ')].slice(0, maxCodePoints).join('').trim() || null;
}

const isNamesake = (one: Customer, other: Customer): boolean =>
  fold(one.name) === fold(other.name) && fold(one.company ?? '') === fold(other.company ?? '');

/** Customers with the same e-mail address or phone number, or the same name and company, as far as they are not hidden. A search also finds longer ones. */
export function useDuplicates(customer: Customer) {
  const digits = digitsOf(customer.phone);
  const byEmail = useMatches(customer.email || null, checked);
  const byPhone = useMatches(digits.length < minDigits ? null : digits, checked);
  const byName = useMatches(searchForNamesake(customer), checked);
  const answers = [byEmail, byPhone, byName].filter((answer) => answer !== null);
  const email = customer.email.toLowerCase();

  const found = new Map<string, Duplicate>();
  for (const other of byName?.data?.items ?? []) {
    if (isNamesake(customer, other)) found.set(other.id, { customer: other, same: 'name' });
  }
  for (const other of byPhone?.data?.items ?? []) {
    if (digitsOf(other.phone) === digits) found.set(other.id, { customer: other, same: 'phone' });
  }
  for (const other of byEmail?.data?.items ?? []) {
    if (other.email.toLowerCase() === email)
      found.set(other.id, { customer: other, same: 'email' });
  }
  found.delete(customer.id);
  const isLoaded = answers.every(({ data }) => data !== undefined);
  return {
    duplicates: isLoaded ? [...found.values()] : undefined,
    isComplete: answers.every(({ data }) => (data?.total ?? 0) <= checked),
    hasFailed: answers.some(
      ({ data, error, fetchStatus }) =>
        data === undefined && (error !== null || fetchStatus === 'paused'),
    ),
  };
}

/** The first matches and how many there are, once the customer has been open a moment: stepping through a list passes many. */
export function useMatches(search: string | null, perPage: number) {
  const service = useCustomersService();
  const isSettled = useLasting(true, 300);
  const query = useQuery({
    ...customersQuery(service, { search: search ?? '', perPage }),
    enabled: isSettled && search !== null,
    retry: false,
  });
  useQueryRecovery(query, search !== null);
  return search === null ? null : query;
}
