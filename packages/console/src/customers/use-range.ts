import { useState, type KeyboardEvent, type PointerEvent } from 'react';

export interface Range {
  /** The position under the pointer, or that the keys have reached. */
  at: number;
  /** The other end, while several are selected. */
  anchor: number;
}

interface Options {
  /** How many positions there are, from left to right. */
  count: number;
  /** Where the keys start. */
  start: number;
  choose: (range: Range) => void;
}

/** One position or a range of them, by pointer and by keyboard. */
export function useRange({ count, start, choose }: Options) {
  const [range, setRange] = useState<Range>();
  const [isDragging, setIsDragging] = useState(false);
  const within = (position: number) => Math.min(count - 1, Math.max(0, position));
  const single = (at: number) => setRange({ at, anchor: at });

  const positionOf = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return within(Math.floor(((clientX - left) / width) * count));
  };
  const hasFocus = ({ currentTarget }: { currentTarget: Element }) =>
    currentTarget === document.activeElement;

  return {
    range,
    handlers: {
      onFocus: () => {
        if (!range) single(within(start));
      },
      onBlur: () => setRange(undefined),
      onKeyDown: (event: KeyboardEvent) => {
        const current = range ?? { at: within(start), anchor: within(start) };
        const target = positionAfter(event.key, current.at, count);
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        if (target !== undefined) {
          const at = within(target);
          setRange({ at, anchor: event.shiftKey ? current.anchor : at });
        } else if (event.key === 'Enter' || event.key === ' ') {
          choose(current);
        } else if (event.key === 'Escape' && current.at !== current.anchor) {
          single(current.at);
        } else return;
        event.preventDefault();
      },
      onPointerDown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        setIsDragging(true);
        single(positionOf(event));
      },
      onPointerMove: (event: PointerEvent) => {
        const at = positionOf(event);
        setRange({ at, anchor: isDragging && range ? range.anchor : at });
      },
      onPointerUp: (event: PointerEvent) => {
        if (!isDragging || !range) return;
        setIsDragging(false);
        const at = positionOf(event);
        single(at);
        choose({ at, anchor: range.anchor });
      },
      onPointerCancel: () => {
        setIsDragging(false);
        setRange(undefined);
      },
      onPointerLeave: (event: PointerEvent) => {
        if (!isDragging && !hasFocus(event)) setRange(undefined);
      },
    },
  };
}

/** Where a key leads, perhaps beyond the ends. */
function positionAfter(key: string, at: number, count: number): number | undefined {
  const far = Math.max(2, Math.round(count / 10));
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - 1;
    case 'ArrowRight':
    case 'ArrowUp':
      return at + 1;
    case 'PageDown':
      return at - far;
    case 'PageUp':
      return at + far;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
