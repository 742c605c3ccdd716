import type { ResultOf } from 'gql.tada';
import { formatCount, formatPercent, formatSeconds, formatShortCount } from '../../ui/numbers.ts';
import { type Money, useMoney } from '../money.ts';
import type { OVERVIEW } from './documents.ts';

type Total = ResultOf<typeof OVERVIEW>['total'][number];

interface Fact {
  readonly name: string;
  readonly text: (total: Total, money: Money) => string;
  /** The number that is compared. Null: it cannot be compared. */
  readonly amountOf: (total: Total) => number | null;
}

const FACTS: readonly Fact[] = [
  { name: 'Turns', text: ({ turns }) => formatCount(turns), amountOf: ({ turns }) => turns },
  {
    name: 'Failed',
    text: ({ failures, turns }) => `${formatCount(failures)} (${formatPercent(failures, turns)})`,
    amountOf: ({ failures }) => failures,
  },
  {
    name: 'Cost',
    text: ({ cost }, money) => money.format(cost),
    amountOf: ({ cost }) => (cost === null ? null : Number(cost)),
  },
  {
    name: 'Input tokens',
    text: ({ inputTokens }) => formatShortCount(inputTokens),
    amountOf: ({ inputTokens }) => inputTokens,
  },
  {
    name: 'Output tokens',
    text: ({ outputTokens }) => formatShortCount(outputTokens),
    amountOf: ({ outputTokens }) => outputTokens,
  },
  {
    name: 'Median duration',
    text: ({ medianResponseTime }) => formatSeconds(medianResponseTime),
    amountOf: ({ medianResponseTime }) => medianResponseTime,
  },
  {
    name: 'p95 duration',
    text: ({ p95ResponseTime }) => formatSeconds(p95ResponseTime),
    amountOf: ({ p95ResponseTime }) => p95ResponseTime,
  },
];

interface Props {
  readonly total: Total;
  /** The period before, of the same length. Undefined or without turns: there is nothing to compare with. */
  readonly previous: Total | undefined;
  readonly days: number;
}

/** The measures of a period, and how they differ from the period before. */
export function Facts({ total, previous, days }: Props) {
  const money = useMoney();
  return (
    <div className="flex flex-col gap-2">
      <dl
        aria-label={`The last ${days} days, compared with the ${days} days before`}
        className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-3 lg:grid-cols-7"
      >
        {FACTS.map(({ name, text, amountOf }) => (
          <div key={name}>
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="font-semibold tabular-nums">{text(total, money)}</dd>
            <dd className="min-h-6 text-sm text-muted tabular-nums">
              {previous?.turns ? changeOf(amountOf(previous), amountOf(total)) : ''}
            </dd>
          </div>
        ))}
      </dl>
      <p className="min-h-5 text-sm text-muted">{previous?.turns ? `Changes are from the ${days} days before.` : ''}</p>
    </div>
  );
}

/** Like +12.5%. Empty if one of the values is unknown. */
function changeOf(before: number | null, now: number | null): string {
  if (before === null || now === null) return '';
  if (before === now) return 'No change';
  if (before === 0) return '0 before';
  const sign = now > before ? '+' : '−';
  return `${sign}${formatPercent(Math.abs(now - before), before)}`;
}
