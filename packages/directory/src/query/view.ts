/**
 * What a caller may see of customers: everything, or all but their contact details. Masked work has lanes,
 * maps and caches of its own, and a database role that cannot read the hidden columns:
 * docs/decisions/masking.md.
 */
import { contactFields } from '@clientele/contract/customer-fields';

export type View = 'full' | 'masked';

/** The first member of a response body. It precedes the rows, which may be sent before the rest. */
export const hiddenMember: Record<View, string> = {
  full: '',
  masked: `"hidden":${JSON.stringify(contactFields)},`,
};

/** The text that searches look at, in public.customers and in the change log. */
export const textColumns: Record<View, { now: string; before: string; after: string }> = {
  full: { now: 'search_text', before: 'old_text', after: 'new_text' },
  masked: { now: 'name_text', before: 'old_name_text', after: 'new_name_text' },
};
