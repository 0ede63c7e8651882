// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react';
import { StrictMode, useState } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useDebouncedSearch } from '@clientele/client/react';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

/** The field above a search that is kept elsewhere, as in a URL. `goTo` is the Back button. */
function renderField(initial = '') {
  const searches: string[] = [];
  const { result, unmount } = renderHook(
    () => {
      const [search, goTo] = useState(initial);
      const field = useDebouncedSearch(search, (next) => {
        searches.push(next);
        goTo(next);
      });
      return { ...field, search, goTo };
    },
    { wrapper: StrictMode },
  );
  return {
    searches,
    unmount,
    field: () => result.current,
    type: (text: string) => act(() => result.current.setText(text)),
  };
}

describe('useDebouncedSearch', () => {
  test('shows each keystroke at once, and searches 250 ms after the last', () => {
    const { field, type, searches } = renderField();
    for (const text of ['a', 'an', 'ann']) {
      type(text);
      expect(field().text).toBe(text);
      wait(249);
    }
    expect(searches, 'while typing').toEqual([]);
    wait(1);
    expect(searches).toEqual(['ann']);
    expect(field().search).toBe('ann');
  });

  test('searches for the trimmed text, and not again if only spaces were added', () => {
    const { field, type, searches } = renderField();
    type(' anna');
    wait(250);
    type(' anna ');
    wait(250);
    expect(searches).toEqual(['anna']);
    expect(field().text, 'the text stays as typed').toBe(' anna ');
  });

  test('does not search when it is mounted, even if the search in the URL has spaces', () => {
    const { field, searches } = renderField(' anna ');
    expect(field().text).toBe(' anna ');
    wait(1000);
    expect(searches).toEqual([]);
  });

  test('searchNow searches once, without the delay', () => {
    const { field, type, searches } = renderField();
    type('anna');
    act(() => field().searchNow());
    expect(searches).toEqual(['anna']);
    wait(1000);
    expect(searches).toEqual(['anna']);
  });

  test('a search from elsewhere replaces the text and cancels what was typed', () => {
    const { field, type, searches } = renderField('anna');
    type('anna b');
    act(() => field().goTo('carl'));
    expect(field().text).toBe('carl');
    wait(1000);
    expect(searches).toEqual([]);
  });

  test('back and forward between searches always show their text', () => {
    const { field, type, searches } = renderField();
    type('anna');
    wait(250);
    for (const search of ['', 'anna', '', 'anna']) {
      act(() => field().goTo(search));
      expect(field().text).toBe(search);
    }
    wait(1000);
    expect(searches, 'only the typed one').toEqual(['anna']);
  });

  test('a search that takes effect late does not undo what was typed since', () => {
    const sent: string[] = [];
    const { result, rerender } = renderHook(
      (search: string) => useDebouncedSearch(search, (next) => sent.push(next)),
      { initialProps: '' },
    );
    act(() => result.current.setText('ann'));
    wait(250);
    expect(sent).toEqual(['ann']);
    act(() => result.current.setText('anna'));
    rerender('ann');
    expect(result.current.text).toBe('anna');
    wait(250);
    expect(sent).toEqual(['ann', 'anna']);
  });

  test('does not search after it is unmounted', () => {
    const { type, unmount, searches } = renderField();
    type('anna');
    unmount();
    vi.advanceTimersByTime(1000);
    expect(searches).toEqual([]);
  });
});
