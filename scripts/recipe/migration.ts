/** The migrations of the recipe: a column, and what else has to change in the database because of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceOnce } from './replace-once.ts';

export interface Column {
  name: string;
  definition: string;
  isSearched: boolean;
}

/** With its number and name. `folder` has those before it. */
export function migrationOf(folder: string, column: Column): { file: string; sql: string } {
  const files = readdirSync(folder).toSorted();
  const earlier = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const { name, definition, isSearched } = column;
  const sql = `-- Adds ${name}.
-- oldest program: ${files.at(-1)!.slice(0, 6)}
alter table public.customers add column ${name} ${definition};

${isSearched ? search(earlier, name) : ''}${redefined(earlier, 'grant_masking', [
    ['company_name, ', `company_name, ${name}, `],
    ...(isSearched ? ([['search_text(text, ', 'search_text(text, text, ']] as const) : []),
  ])}
do $$ begin
  if to_regrole('clientele_masked_reader') is not null then
    perform clientele.grant_masking();
  end if;
end $$;
`;
  return { file: `${String(files.length + 1).padStart(6, '0')}_${name}.sql`, sql };
}

/** Triggers of masking and of orders go with the column: both have to be prepared again. */
const search = (earlier: string[], name: string): string => `
drop trigger log_updates on public.customers;
alter table public.customers drop column search_text cascade;
drop function clientele.search_text;
${redefined(earlier, 'search_text', [
  ['phone_number text\n', `phone_number text, ${name} text default null\n`],
  [
    "coalesce(' ' || phone_number, '')",
    `coalesce(' ' || phone_number, '') || coalesce(' ' || ${name}, '')`,
  ],
])}
alter table public.customers add column search_text text collate "C" not null
  generated always as
    (clientele.search_text(full_name, email_address, company_name, phone_number, ${name})) stored;
alter table public.customers alter column search_text set statistics 1000;
create index customers_search on public.customers using gin (search_text gin_trgm_ops);
${found(earlier, /^create trigger log_updates [^;]*;\n/m)}
alter table public.customers enable always trigger log_updates;
${redefined(earlier, 'set_name_text', [['company_name, null)', `company_name, null, new.${name})`]])}
${redefined(earlier, 'begin_masking', [
  [
    'or old.company_name is',
    `or old.${name} is distinct from new.${name}
      or old.company_name is`,
  ],
])}
`;

/** The latest definition of a function, with changes. */
function redefined(
  earlier: string[],
  name: string,
  changes: readonly (readonly [string, string])[],
): string {
  const definition = found(
    earlier,
    new RegExp(
      String.raw`^create (?:or replace )?function clientele\.${name}\([^]*?(?:\n\$\$|'g'\), ''\));\n`,
      'm',
    ),
  );
  const again = definition.replace(/^create (or replace )?/, 'create or replace ');
  return changes.reduce((text, [from, to]) => replaceOnce(text, from, to), again);
}

function found(earlier: string[], pattern: RegExp): string {
  const latest = earlier.findLast((text) => pattern.test(text));
  if (latest === undefined) throw new Error(`No migration has ${pattern}`);
  return pattern.exec(latest)![0];
}
