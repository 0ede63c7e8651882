import type { Customer } from '@clientele/client';
import type { ReactNode } from 'react';
import { go, hrefOf } from '../address.ts';
import { useAllowed } from '../session/allowed.ts';
import { useText } from '../text/text.ts';
import { Link } from '../ui/link.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { addressOfCustomer, addressOfSearch, openSearch } from './open-search.ts';
import {
  searchForCompany,
  searchForDomain,
  useDuplicates,
  useMatches,
} from './related-searches.ts';

/** They are searches. */
export function CustomerRelations({ customer }: { customer: Customer }) {
  return useAllowed().search && <Relations customer={customer} />;
}

/** Colleagues of the customer, and other records that may be the same person. */
function Relations({ customer }: { customer: Customer }) {
  const { t } = useText();
  const company = searchForCompany(customer);
  const domain = searchForDomain(customer);
  useKeys({
    ...(company !== null && { c: () => openSearch(company) }),
    ...(domain !== null && { d: () => openSearch(domain) }),
  });
  return (
    <dl className="relations">
      {company !== null && (
        <div>
          <dt>{t('column.company')}</dt>
          <dd>
            <SearchWithCount search={company} shortcut="c" />
          </dd>
        </div>
      )}
      {domain !== null && (
        <div>
          <dt>{t('related.domain')}</dt>
          <dd>
            <SearchWithCount search={domain} shortcut="d" />
          </dd>
        </div>
      )}
      {/* They are found by their contact details, too: “none found” would not be true. */}
      {!customer.hidden && (
        <div>
          <dt>{t('related.duplicates')}</dt>
          <dd>
            <Duplicates customer={customer} />
          </dd>
        </div>
      )}
    </dl>
  );
}

function SearchLink({ search, children }: { search: string; children: ReactNode }) {
  return (
    <Link href={hrefOf(addressOfSearch(search))} follow={() => openSearch(search)} dir="auto">
      {children}
    </Link>
  );
}

/** The count is the total of the search that the link leads to. */
function SearchWithCount({ search, shortcut }: { search: string; shortcut: string }) {
  const { t } = useText();
  const matches = useMatches(search, 1);
  return (
    <>
      <SearchLink search={search}>{search}</SearchLink>
      <span className="related-count">
        {matches?.data && t('customers.count', { count: matches.data.total })}
        <kbd aria-hidden="true">{shortcut}</kbd>
      </span>
    </>
  );
}

const sameWhat = {
  email: 'related.sameEmail',
  phone: 'related.samePhone',
  name: 'related.sameName',
} as const;

/** The last part of the customer, so that its answers move nothing. */
function Duplicates({ customer }: { customer: Customer }) {
  const { t } = useText();
  const { duplicates, isComplete, hasFailed } = useDuplicates(customer);
  if (hasFailed) return <span className="nothing">{t('related.failed')}</span>;
  if (!duplicates) return <span className="nothing">…</span>;
  return (
    <>
      {duplicates.length === 0 && <span className="nothing">{t('related.none')}</span>}
      <ul className="duplicates">
        {duplicates.map(({ customer: other, same }) => (
          <li key={other.id}>
            <Link
              href={hrefOf(addressOfCustomer(other.id))}
              follow={() => go(addressOfCustomer(other.id), 'push')}
              dir="auto"
            >
              {other.name}
            </Link>{' '}
            <small>{t(sameWhat[same])}</small>
          </li>
        ))}
      </ul>
      {!isComplete && <small>{t('related.maybeMore')}</small>}
    </>
  );
}
