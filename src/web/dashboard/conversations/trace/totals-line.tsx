import type { Span } from './documents.ts';
import { durationText } from './duration-text.ts';
import { type Totals, type TurnRow, totalsOf } from './turn-rows.ts';

const NAMES: Readonly<Record<keyof Totals, string>> = {
  steps: 'model steps',
  calls: 'calls',
  waiting: 'waiting for answers',
  start: 'waiting to start',
  other: 'between and after steps',
  elsewhere: 'on other pages',
};

interface Props {
  readonly rows: readonly TurnRow<Span>[];
  readonly isShortened: boolean;
}

/** What the duration of the turn consists of. */
export function TotalsLine({ rows, isShortened }: Props) {
  const totals = totalsOf(rows, ({ __typename }) => __typename === 'ModelStepSpan');
  const keys = (Object.keys(NAMES) as (keyof Totals)[]).filter((key) => totals[key] >= 1);
  return (
    <p className="text-sm text-muted">
      {`${keys.map((key) => `${durationText(totals[key])} ${NAMES[key]}`).join(' + ')}.`}
      {isShortened && ' Long gaps are shortened on the axis (⋯).'}
    </p>
  );
}
