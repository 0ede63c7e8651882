/** What stops an import because it may lose, merge or double customers, unless the user accepts it. */
export const acceptable = {
  'unscoped-ids': 'short identifiers without the name of their system',
  'repeated-ids': 'identifiers that different people have',
  'other-people': 'records that turn a customer into somebody else',
  'similar-ids': 'identifiers that differ only in case or leading zeros',
  'known-people': 'new customers with the name and the address of an existing one',
  'known-addresses': 'new customers with the address of an existing one',
  'unused-names': 'first and last names that are not in the whole names',
  'deleted-people': 'records that say that they are deleted',
  currencies: 'amounts in different currencies',
  undecodable: 'records that cannot be decoded',
  removals: 'the removal of more than a tenth of all customers',
} as const;

export type Acceptable = keyof typeof acceptable;
export type Accepted = ReadonlySet<Acceptable>;
export const nothingAccepted: Accepted = new Set();
