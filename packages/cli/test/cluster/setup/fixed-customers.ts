/** Customers that never change, so that the right answer to a request about them is known. */
import type pg from 'pg';
import type { HttpResponse } from '../../setup/load.ts';
import { beatId, type Writers } from './writers.ts';

const trees = ['alder', 'birch', 'cedar', 'hazel', 'larch', 'maple', 'rowan'];
const count = 5_000;

const fixedId = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;

export async function insertFixedCustomers(client: pg.Client): Promise<void> {
  await client.query(
    `insert into customers (uuid, full_name, email_address, created_at)
     select ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid,
       'Fixed ' || ($1::text[])[i % 7 + 1] || ' ' || i, 'fixed-' || i || '@mail.example',
       '2020-01-01T00:00:00Z'::timestamptz + i * interval '1 minute'
     from generate_series(0, $2::int - 1) as i`,
    [trees, count],
  );
  await client.query(
    `insert into customers (uuid, full_name, email_address, created_at)
     values ($1, 'Beat 0', 'beat@mail.example', '2019-01-01')`,
    [beatId],
  );
  await client.query('vacuum analyze customers');
}

/** The load of the fault tests: 60 % lists and searches, 40 % lookups. */
export function choosePath(random: () => number): string {
  const whole = (below: number): number => Math.floor(random() * below);
  const kind = whole(10);
  if (kind < 3) return `/v3/customers?page=${1 + whole(40)}&perPage=${1 + whole(100)}`;
  if (kind < 5) return `/v3/customers?search=${trees[whole(7)]}&page=${1 + whole(20)}`;
  if (kind === 5) return `/v3/customers?search=written&page=${1 + whole(3)}`;
  if (kind === 6) return `/v3/customers/${beatId}`;
  return `/v3/customers/${fixedId(whole(count))}`;
}

interface Customer {
  full_name: string;
}
interface Page {
  data: Customer[];
  pagination: { page: number; per_page: number; total: number };
}

export interface Verdict {
  /** What is wrong with the answer. */
  wrong?: string;
  /** For how long the answer had been outdated when the request was sent, in milliseconds. */
  ageMs?: number;
}

/** Compares a response of status 200 with what it has to be. */
export function judge(
  { path, body, sentAt }: HttpResponse,
  writers: Pick<Writers, 'ageOf'>,
): Verdict {
  const url = new URL(path, 'http://localhost');
  const id = /^\/v3\/customers\/(.+)$/.exec(url.pathname)?.[1];
  if (id === beatId) {
    const beat = Number((body.data as Customer).full_name.slice('Beat '.length));
    return { ageMs: writers.ageOf(beat, sentAt) };
  }
  if (id !== undefined) return judgeLookup(id, body.data as Customer);
  const page = body as Page;
  const { pagination, data } = page;
  const offset = (pagination.page - 1) * pagination.per_page;
  const length = Math.min(pagination.per_page, Math.max(0, pagination.total - offset));
  if (data.length !== length) return { wrong: `${data.length} rows instead of ${length}` };
  const search = url.searchParams.get('search');
  const tree = trees.indexOf(search ?? '');
  if (tree !== -1) return judgeTotal(pagination.total, Math.ceil((count - tree) / 7));
  if (search === null && pagination.total < count + 1) return judgeTotal(pagination.total, count);
  return {};
}

const judgeTotal = (total: number, right: number): Verdict =>
  total === right ? {} : { wrong: `total ${total} instead of ${right}` };

function judgeLookup(id: string, customer: Customer): Verdict {
  const i = Number(id.slice(-12));
  const right = `Fixed ${trees[i % 7]} ${i}`;
  return customer.full_name === right ? {} : { wrong: `${customer.full_name} for ${right}` };
}
