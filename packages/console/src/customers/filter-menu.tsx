import { useRef, type FormEvent } from 'react';
import { daysOf, endAfter, lastDayOf, spans, type Filters } from '../filters.ts';
import type { MessageName } from '../text/messages.ts';
import { useText } from '../text/text.ts';
import { Disclosure } from '../ui/disclosure.tsx';
import { Icon } from '../ui/icon.tsx';
import { useNow } from '../ui/use-now.ts';
import { useKeys } from '../ui/use-keys.ts';
import { openFiltered } from './open-search.ts';

export const filterButtonId = 'filter-button';

/** A button that shows the filters to choose from. They take effect at once, dates when they are complete. */
export function FilterMenu({ filters }: { filters: Filters }) {
  const { t } = useText();
  const button = useRef<HTMLButtonElement>(null);
  useKeys({
    f: () => {
      button.current?.focus();
      button.current?.click();
    },
  });
  const choices = (name: 'verified' | 'hasOrders', labels: [MessageName, MessageName]) =>
    ([true, false] as const).map((value, index) => (
      <button
        key={labels[index]}
        type="button"
        className="button"
        aria-pressed={filters[name] === value}
        onClick={() => {
          const { [name]: current, ...others } = filters;
          openFiltered(current === value ? others : { ...others, [name]: value });
        }}
      >
        {t(labels[index]!)}
      </button>
    ));
  const label = (
    <>
      <Icon name="filter" /> <span className="label">{t('filter')}</span>
    </>
  );
  return (
    <Disclosure label={label} button={button} id={filterButtonId} shortcut="f">
      <div className="filter-menu">
        <div className="choices">{choices('verified', ['value.verified', 'value.unverified'])}</div>
        <div className="choices">{choices('hasOrders', ['filter.orders', 'filter.noOrders'])}</div>
        <JoinedForm filters={filters} />
      </div>
    </Disclosure>
  );
}

/** The first and the last day, in any order. */
function JoinedForm({ filters }: { filters: Filters }) {
  const { t } = useText();
  const now = useNow();
  const { joinedFrom, joinedTo, ...others } = filters;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const [first, last] = ['first', 'last'].map((name) => data.get(name) as string);
    const [from, to] = first && last && last < first ? [last, first] : [first, last];
    openFiltered({
      ...others,
      ...(from && { joinedFrom: from }),
      ...(to && { joinedTo: endAfter(to) }),
    });
  };
  return (
    <form onSubmit={submit}>
      <fieldset>
        <legend>{t('filter.joinedBetween')}</legend>
        <div className="choices">
          {spans.map((span) => {
            const [from, to] = daysOf(span, new Date(now));
            const isChosen = joinedFrom === from && joinedTo === to;
            return (
              <button
                key={span}
                type="button"
                className="button"
                aria-pressed={isChosen}
                onClick={() =>
                  openFiltered(isChosen ? others : { ...others, joinedFrom: from, joinedTo: to })
                }
              >
                {t(`filter.${span}`)}
              </button>
            );
          })}
        </div>
        {/* Another filter from elsewhere replaces what was typed. */}
        <input
          key={`from ${joinedFrom}`}
          type="date"
          name="first"
          aria-label={t('filter.firstDay')}
          defaultValue={joinedFrom?.slice(0, 10)}
        />
        <span aria-hidden="true">–</span>
        <input
          key={`to ${joinedTo}`}
          type="date"
          name="last"
          aria-label={t('filter.lastDay')}
          defaultValue={joinedTo && lastDayOf(joinedTo)}
        />
        <button type="submit" className="button">
          {t('filter.apply')}
        </button>
      </fieldset>
      <p className="hint">{t('filter.utc')}</p>
    </form>
  );
}
