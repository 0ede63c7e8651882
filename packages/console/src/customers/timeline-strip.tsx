import type { Timeline } from '@clientele/client';
import { useId } from 'react';
import { periodText, startText } from '../text/periods.ts';
import { useText } from '../text/text.ts';
import { openFiltered } from './open-search.ts';
import { barsPath, joinedIn, joinPeriods, pageOfPeriod, pageSpan, type Period } from './periods.ts';
import { useRange, type Range } from './use-range.ts';
import type { ShownList } from './shown-list.ts';

interface Props {
  timeline: Timeline;
  /** At least one, the oldest first. */
  periods: Period[];
  shown: ShownList;
  /** The rows belong to another search. */
  isPrevious: boolean;
  goToPage: (page: number) => void;
}

/**
 * A slider over the periods: a click or Enter goes to their page, dragging or Shift selects several to filter by. In
 * another order, the customers of a period are on many pages, so one period is filtered by as well.
 */
export function TimelineStrip(props: Props) {
  const { timeline, periods, shown, isPrevious, goToPage } = props;
  const { unit, total, exact } = timeline;
  const { t, locale } = useText();
  const summaryId = useId();
  const isNewestFirst = shown.filters.sort === undefined;
  const page = pageSpan(periods, shown.page, shown.perPage);
  const last = periods.at(-1)!;
  const here = isNewestFirst
    ? Math.min(periods.length - 1, Math.floor(page.to * periods.length - 1e-9))
    : periods.length - 1;

  const choose = ({ at, anchor }: Range) => {
    if (isPrevious) return;
    const period = joinPeriods(periods, at, anchor);
    if (at === anchor && isNewestFirst) goToPage(pageOfPeriod(period, total, shown.perPage));
    else openFiltered(joinedIn(period, shown.filters));
  };
  const { range, handlers } = useRange({
    count: periods.length,
    start: here,
    choose,
  });

  // Never beyond the filter, which may end within a period.
  const name = (period: Period) => {
    const { joinedFrom, joinedTo } = joinedIn(period, shown.filters);
    return periodText(locale, unit, new Date(joinedFrom!), new Date(joinedTo!));
  };
  const describe = (period: Period) =>
    t(exact ? 'timeline.count' : 'timeline.about', { period: name(period), count: period.count });
  const active = range && joinPeriods(periods, range.at, range.anchor);
  const value = active ?? periods[here]!;
  const most = periods.reduce((one, other) => (other.count > one.count ? other : one));
  const first = periods[0]!;
  return (
    <div className="strip" data-previous={isPrevious || undefined}>
      <p id={summaryId} className="hidden">
        {t(isNewestFirst ? 'timeline.summary' : 'timeline.summarySorted', {
          first: name(first),
          last: name(last),
          most: name(most),
          here: name(periods[here]!),
        })}{' '}
        {t(isNewestFirst ? 'timeline.help' : 'timeline.helpSorted')}
      </p>
      <div
        className="bars"
        role="slider"
        tabIndex={0}
        aria-label={t('timeline.label')}
        aria-describedby={summaryId}
        aria-valuemin={0}
        aria-valuemax={periods.length - 1}
        aria-valuenow={range?.at ?? here}
        aria-valuetext={
          isNewestFirst
            ? t('timeline.page', {
                count: describe(value),
                page: pageOfPeriod(value, total, shown.perPage),
              })
            : describe(value)
        }
        {...handlers}
      >
        <Bars periods={periods} />
        {range && <Mark className="active" {...rangeSpan(range, periods.length)} />}
        {total > shown.perPage && isNewestFirst && <Mark className="here" {...page} />}
      </div>
      <Axis
        start={startText(locale, unit, first.from)}
        end={startText(locale, unit, last.from)}
        note={active && { text: describe(active), ...rangeSpan(range, periods.length) }}
      />
    </div>
  );
}

interface Span {
  from: number;
  to: number;
}

const rangeSpan = ({ at, anchor }: Range, count: number): Span => ({
  from: Math.min(at, anchor) / count,
  to: (Math.max(at, anchor) + 1) / count,
});

const percent = (share: number): string => `${(share * 100).toFixed(3)}%`;

function Bars({ periods }: { periods: Period[] }) {
  return (
    <svg viewBox={`0 0 ${periods.length} 100`} preserveAspectRatio="none" aria-hidden="true">
      <path d={barsPath(periods)} />
    </svg>
  );
}

function Mark({ className, from, to }: Span & { className: string }) {
  // The narrowest mark has four pixels, which have to stay within the strip.
  const start = `min(${percent(from)}, 100% - 4px)`;
  const style = { insetInlineStart: start, inlineSize: percent(to - from) };
  return <span className={className} style={style} />;
}

interface AxisProps {
  start: string;
  end: string;
  /** About the periods under the pointer. It takes the place of the heading, and of the end that it is next to. */
  note: (Span & { text: string }) | undefined;
}

function Axis({ start, end, note }: AxisProps) {
  const { t } = useText();
  const middle = note && (note.from + note.to) / 2;
  const side = middle && (middle < 0.3 ? 'start' : middle > 0.7 ? 'end' : 'middle');
  return (
    <div className="axis" aria-hidden="true" data-noted={side}>
      <span>{start}</span>
      {!note && <span className="heading">{t('timeline.label')}</span>}
      <span>{end}</span>
      {note && <Note {...note} />}
    </div>
  );
}

/** Below its periods, and never beyond the ends of the axis. */
function Note({ text, from, to }: Span & { text: string }) {
  const middle = percent((from + to) / 2);
  return (
    <span className="note" style={{ insetInlineStart: middle, translate: `-${middle}` }}>
      {text}
    </span>
  );
}
