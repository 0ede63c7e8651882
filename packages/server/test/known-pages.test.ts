/** Pages that can be sent again, without a database. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownPages } from '../src/maps/known-pages.ts';
import { nobody } from '../src/responses/list-body.ts';
import { everyone } from '@clientele/directory';

/** A sixth of it: room for 30,000 bytes. */
const bytes = 180_000;
const range = (page: number) => ({ offset: 25 * page, limit: 25 });
const any = () => true;

test('a page that is known has the body, total and identifiers that it was stored with last', () => {
  const stores = fc.array(fc.record({ page: fc.nat(40), length: fc.nat(9_000) }), {
    minLength: 1,
    maxLength: 200,
  });
  fc.assert(
    fc.property(stores, (all) => {
      const pages = new KnownPages(bytes);
      const latest = new Map<number, object>();
      for (const [point, { page, length }] of all.entries()) {
        const stored = {
          body: Buffer.alloc(length, point % 251),
          total: point,
          shown: Buffer.alloc(16 * (length % 26), point % 241),
        };
        pages.set(everyone.full, range(page), { point, page: stored });
        latest.set(page, stored);
        expect(pages.get(everyone.full, range(page), any)?.page).toEqual(stored);
      }
      for (const [page, stored] of latest) {
        const known = pages.get(everyone.full, range(page), any);
        if (known) expect(known.page).toEqual(stored);
      }
    }),
  );
});

test('the latest pages are known, as many as there is room for', () => {
  const pages = new KnownPages(bytes);
  const isKnown = (page: number) => pages.get(everyone.full, range(page), any) !== undefined;
  for (let page = 0; page < 100; page += 1) {
    const body = Buffer.alloc(4_000, page);
    pages.set(everyone.full, range(page), {
      point: 1,
      page: { body, total: 2_500, shown: nobody },
    });
    const before = Array.from({ length: Math.min(page, 6) }, (_, i) => page - i);
    expect(before.filter((other) => !isKnown(other))).toEqual([]);
    expect(isKnown(page - 8)).toBe(false);
  }
});

test('a page that is being sent stays as it is when others are stored', () => {
  const pages = new KnownPages(bytes);
  const store = (page: number) =>
    pages.set(everyone.full, range(page), {
      point: 1,
      page: { body: Buffer.alloc(4_000, page), total: 2_500, shown: nobody },
    });
  store(1);
  const { body } = pages.get(everyone.full, range(1), any)!.page;
  for (let page = 2; page < 20; page += 1) store(page);
  expect(body).toEqual(Buffer.alloc(4_000, 1));
});

test('a page is not known at another point, without a point, or once all are forgotten', () => {
  const pages = new KnownPages(bytes);
  const page = { body: Buffer.from('{}'), total: 0, shown: nobody };
  pages.set(everyone.full, range(0), { point: 'a', page });
  pages.set(everyone.full, range(1), { point: null, page });
  expect(pages.get(everyone.full, range(0), (point) => point === 'b')).toBeUndefined();
  expect(pages.get(everyone.full, range(0), (point) => point === 'a')?.page).toEqual(page);
  expect(pages.get(everyone.full, range(1), any)).toBeUndefined();
  pages.clear();
  expect(pages.get(everyone.full, range(0), any)).toBeUndefined();
});
