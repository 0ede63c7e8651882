/** The oldest and the newest match of a search, in the blocks of its map that they are in. */
import { isListed, type Range, type Shape } from '@clientele/directory';
import type { BlockMap } from './block-map.ts';

/** Their places. */
export interface Ends {
  oldest: number;
  newest: number;
}

/** The first and the last block that has matches. */
export interface EndBlocks {
  first: Range;
  last: Range;
}

/** As a statement found them in these blocks; null where there is no match any more. */
export interface EndsWithin {
  within: EndBlocks;
  oldest: number | null;
  newest: number | null;
}

export const rangeOfBlock = ({ bounds }: BlockMap, block: number): Range => ({
  from: bounds[block - 1] ?? -Infinity,
  to: bounds[block] ?? Infinity,
});

/** Of a map that is not empty. */
export function endBlocks(map: BlockMap): EndBlocks {
  // The oldest block with at most so many matches above it: they descend.
  const firstWith = (atMost: number): number => {
    let low = 0;
    let high = map.above.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (map.above[middle]! <= atMost) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const [first, last] = [firstWith(map.total - 1), firstWith(0)];
  return { first: rangeOfBlock(map, first), last: rangeOfBlock(map, last) };
}

/** The parameters of `endsColumns`. */
export const endsValues = ({ first, last }: EndBlocks): number[] => [
  ...[first.from, first.to, last.from, last.to],
];

/** The columns of Ends. The blocks start at $first, the values of the search follow. */
export function endsColumns(search: Shape, first: number): string {
  const end = (name: keyof Ends, block: number, order: string): string => `(
    select m.place from only public.customers as m
    where m.place >= $${block}::float8 and m.place < $${block + 1}::float8 and ${isListed(search, first + 4)}
    order by m.place ${order} limit 1
  ) as ${name}`;
  return `${end('oldest', first, '')}, ${end('newest', first + 2, 'desc')}`;
}
