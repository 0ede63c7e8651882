/** Reads what the console shows, and compares it with what the service returns. */
import type { Page } from '@playwright/test';
import {
  limits,
  type WireCustomerDetail,
  type WireCustomerList,
  type WireSuggestions,
  type WireTimeline,
} from '@clientele/contract';
import { barsPath, periodsOf } from '../src/customers/periods.ts';
import { filterEntries, readFilters } from '../src/filters.ts';
import { expect } from './test.ts';
import type { Service } from './start-service.ts';

/** What was on screen in one frame. A text that is marked as the previous search's is left out. */
export interface Screen {
  address: string;
  perPage: number;
  signIn: boolean;
  field: string | null;
  count: string | null;
  /** The ids of the rows. */
  rows: string[] | null;
  range: string | null;
  pages: string | null;
  canExport: boolean;
  exports: string | null;
  /** What Enter opens or searches for. */
  offer: string | null;
  /** The bars. */
  timeline: string | null;
  suggestions: string[] | null;
  customer: string | null;
  isPrevious: boolean;
  problem: string | null;
}

declare global {
  interface Window {
    /** The frames since the last call. */
    takeFrames: () => Screen[];
  }
}

/** Records every frame in which something changed. Runs in the page, before its own script. */
export function recordFrames(): void {
  const find = (selector: string) => document.querySelector<HTMLElement>(selector);
  const belonging = (selector: string) => {
    const element = find(selector);
    return element && !element.closest('[data-previous], [aria-busy="true"]') ? element : null;
  };
  const read = (): Screen => {
    const table = belonging('table.customers');
    const links = table?.querySelectorAll<HTMLAnchorElement>('a[data-row]');
    return {
      address: location.pathname + location.search,
      perPage: Number(document.querySelector<HTMLSelectElement>('.size select')?.value ?? 25),
      signIn: find('main.sign-in') !== null,
      field: find('search input') && (find('search input') as HTMLInputElement).value,
      count: belonging('.count')?.textContent || null,
      rows: links ? [...links].map((link) => link.pathname.slice('/customers/'.length)) : null,
      range: belonging('.range')?.textContent ?? null,
      pages: belonging('.jump > span')?.textContent ?? null,
      canExport: find('.bar-above > .button')?.getAttribute('aria-disabled') === 'false',
      exports: find('dialog .lead')?.textContent ?? null,
      offer: find('.offer > [dir]')?.textContent ?? null,
      timeline: belonging('.strip')?.querySelector('path')?.getAttribute('d') ?? null,
      suggestions: find('.suggestions')
        ? [...document.querySelectorAll('.suggestions a')].map((link) => link.textContent)
        : null,
      customer: find('.detail h2[dir]')?.textContent ?? null,
      isPrevious: find('[data-previous], table[aria-busy="true"]') !== null,
      problem: find('.problem h2')?.textContent ?? null,
    };
  };
  const frames: Screen[] = [];
  let last = '';
  const record = () => {
    const screen = read();
    const text = JSON.stringify(screen);
    if (text !== last) frames.push(screen);
    last = text;
  };
  let isScheduled = false;
  const schedule = () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      record();
    });
  };
  new MutationObserver(schedule).observe(document, {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
  for (const event of ['input', 'popstate']) addEventListener(event, schedule, true);
  window.takeFrames = () => {
    record();
    return frames.splice(0);
  };
}

export const takeFrames = (page: Page): Promise<Screen[]> =>
  page.evaluate(() => window.takeFrames());

/** The service's own answers, each requested once. */
export class Truth {
  readonly #service: Service;
  readonly #answers = new Map<string, Promise<unknown>>();

  constructor(service: Service) {
    this.#service = service;
  }

  #get<T>(path: string): Promise<T> {
    const { url, key } = this.#service;
    const answer =
      this.#answers.get(path) ??
      fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).then((response) =>
        response.json(),
      );
    this.#answers.set(path, answer);
    return answer as Promise<T>;
  }

  /** Fails if a number or a row on the screen belongs to another search than the one shown. */
  async check(screen: Screen): Promise<void> {
    if (screen.signIn) {
      const { count, rows, range, exports, offer, timeline, suggestions, customer } = screen;
      const shown = [count, rows, range, exports, offer, timeline, suggestions, customer];
      expect(shown).toEqual(shown.map(() => null));
      return;
    }
    const { pathname, searchParams } = new URL(screen.address, this.#service.url);
    const id = searchParams.get('customer') ?? /^\/customers\/(.+)$/.exec(pathname)?.[1];
    if (screen.customer !== null) {
      const { data } = await this.#get<WireCustomerDetail>(`/v3/customers/${id}`);
      expect(screen.customer, 'the open customer').toBe(data.full_name);
    }
    if (screen.field === null) return;
    const search = screen.field.trim();
    const isSent = search === (searchParams.get('search') ?? '');
    const page = isSent ? Number(searchParams.get('page') ?? 1) : 1;
    const list = new URLSearchParams([
      ['search', search],
      ...filterEntries(readFilters(searchParams)),
    ]);
    const { data, pagination } = await this.#get<WireCustomerList>(
      `/v3/customers?${list}&page=${page}&perPage=${screen.perPage}`,
    );
    const number = (value: number) => value.toLocaleString('en-GB');
    const total = number(pagination.total);
    const from = (page - 1) * screen.perPage + 1;
    const belongs = (shown: unknown, expected: unknown, what: string) => {
      if (shown !== null) expect(shown, `${what}, for ${list} page ${page}`).toEqual(expected);
    };
    const isCounting = screen.count === 'Counting…';
    if (!isCounting) belongs(screen.count?.split(' ')[0] ?? null, total, 'the count');
    belongs(
      screen.rows,
      data.map(({ uuid }) => uuid),
      'the rows',
    );
    const range = `${number(from)}–${number(from + data.length - 1)}`;
    // Without a total while it is being counted.
    const hasTotal = screen.range?.includes(' ') ?? false;
    if (data.length > 0) {
      belongs(screen.range, hasTotal ? `${range} of ${total}` : range, 'the range');
    }
    if (isCounting)
      expect([hasTotal, screen.pages, screen.canExport]).toEqual([false, null, false]);
    const pageCount = number(Math.max(1, Math.ceil(pagination.total / screen.perPage)));
    belongs(screen.pages, `of ${pageCount}`, 'the number of pages');
    const offered = pagination.total === 1 ? `opens ${data[0]!.full_name}` : null;
    const [suggested] = pagination.total === 0 ? (screen.suggestions ?? []) : [];
    belongs(screen.offer, suggested ? `searches for ${suggested}` : offered, 'what Enter does');
    if (screen.timeline !== null) {
      expect(await this.#bars(list), `the timeline, for ${list}`).toContain(screen.timeline);
    }
    if (screen.suggestions !== null) {
      expect(pagination.total, `suggestions for ${list}`).toBeLessThanOrEqual(
        limits.suggestions.maxMatches,
      );
      const path = `/v3/customers/suggestions?search=${encodeURIComponent(search)}`;
      const suggestions = await this.#get<WireSuggestions>(path);
      belongs(
        screen.suggestions,
        suggestions.data.map((each) => each.search),
        'the suggestions',
      );
    }
    if (screen.canExport) expect(screen.count, 'the export’s count').not.toBeNull();
    if (screen.exports !== null) {
      const names = search === '' ? total : `${total} customers matching “${search}”`;
      expect(screen.exports.replace('customer ', 'customers '), 'the export').toContain(names);
    }
  }

  /** The bars of a list, interpolated and exact. */
  #bars(list: URLSearchParams): Promise<string[]> {
    return Promise.all(
      [false, true].map(async (exact) => {
        const path = `/v3/customers/timeline?${list}&exact=${exact}`;
        const { data } = await this.#get<WireTimeline>(path);
        const buckets = data.buckets.map((each) => ({ ...each, from: new Date(each.from) }));
        return barsPath(periodsOf({ ...data, buckets }));
      }),
    );
  }
}
