/** Mistakes in the database's own functions, each of which the fuzzer has to find. */
import type pg from 'pg';

export interface Mutation {
  /** The function. */
  in: string;
  from: string;
  to: string;
}

export const mutations: Record<string, Mutation> = {
  'a final sigma is another letter': {
    in: 'clientele.fold(text)',
    from: `'øłđðıς', 'olddiσ'`,
    to: `'øłđðı', 'olddi'`,
  },
  'a diaeresis counts': {
    in: 'clientele.fold(text)',
    from: String.raw`\u0300-\u036F`,
    to: String.raw`\u0300-\u0307\u0309-\u036F`,
  },
  'ü is not spelled out': {
    in: 'clientele.spell_out(text)',
    from: `'ue'`,
    to: `'u'`,
  },
  'abbreviations keep their dots': {
    in: 'clientele.other_spellings(text,text)',
    from: `replace(words[n], '.', '')`,
    to: 'words[n]',
  },
  'two letters match within a word': {
    in: 'clientele.search_patterns(text)',
    from: 'term_length < 3',
    to: 'term_length < 2',
  },
  'zeros at the start of a phone number count': {
    in: 'clientele.search_patterns(text)',
    from: `ltrim(digits, '0')`,
    to: 'digits',
  },
  'a percent sign matches anything': {
    in: 'clientele.search_patterns(text)',
    from: String.raw`'([\\%_])'`,
    to: String.raw`'([\\_])'`,
  },
  'deletes are not logged': {
    in: 'clientele.log_change()',
    from: `if pg_catalog.current_setting('clientele.changes_full', true)`,
    to: `if tg_op operator(pg_catalog.=) 'DELETE' or pg_catalog.current_setting('clientele.changes_full', true)`,
  },
  'another number of orders does not move a customer': {
    in: 'clientele.log_change()',
    from: 'by_total_orders = clientele.sort_place(c.total_orders, c.place)',
    to: 'by_total_orders = s.by_total_orders',
  },
};

export async function mutate(database: pg.Client, mutation: Mutation): Promise<void> {
  const { rows } = await database.query<{ definition: string }>(
    'select pg_get_functiondef($1::regprocedure) as definition',
    [mutation.in],
  );
  const { definition } = rows[0]!;
  const mutated = definition.replaceAll(mutation.from, () => mutation.to);
  if (mutated === definition) throw new Error(`${mutation.in} does not contain ${mutation.from}`);
  await database.query(mutated);
}
