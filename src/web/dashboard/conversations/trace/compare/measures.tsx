import { formatCount, formatPercent } from '../../../../ui/numbers.ts';
import { Table } from '../../../frame/table.tsx';
import { type Money, useMoney } from '../../../money.ts';
import { durationText } from '../duration-text.ts';
import type { ComparedTurn } from './documents.ts';

interface Props {
  readonly other: ComparedTurn;
  readonly current: ComparedTurn;
}

interface Measure {
  readonly name: string;
  readonly other: string;
  readonly current: string;
  readonly difference: string;
}

/** The measures of two turns, with what changed. */
export function Measures({ other, current }: Props) {
  const money = useMoney();
  return (
    <Table
      label="Measures"
      columns={[
        { title: 'Measure', cell: ({ name }) => name },
        { title: 'Other turn', cell: (measure) => measure.other },
        { title: 'This turn', cell: (measure) => measure.current },
        { title: 'Difference', cell: ({ difference }) => difference },
      ]}
      rows={measuresOf(other, current, money)}
      keyOf={({ name }) => name}
      empty="No measures."
    />
  );
}

function measuresOf(other: ComparedTurn, current: ComparedTurn, money: Money): Measure[] {
  const counted = (name: string, read: (turn: ComparedTurn) => number | null, format: (value: number) => string) =>
    numeric(name, [read(other), read(current)], format);
  return [
    text('Version', versionOf(other), versionOf(current)),
    text('Model', other.model, current.model),
    counted('Duration', ({ updatedAt, createdAt }) => Date.parse(updatedAt) - Date.parse(createdAt), durationText),
    counted('Input tokens', ({ inputTokens }) => inputTokens, formatCount),
    counted('Output tokens', ({ outputTokens }) => outputTokens, formatCount),
    counted('Cost', ({ trace }) => (trace?.cost ? Number(trace.cost) : null), money.exact),
  ];
}

function versionOf({ version }: ComparedTurn): string {
  if (!version) return 'Unknown';
  return version.workflow ? `${version.workflow.name}, version ${version.number}` : `Version ${version.number}`;
}

const text = (name: string, other: string, current: string): Measure => ({
  ...{ name, other, current, difference: other === current ? 'Same' : 'Different' },
});

function numeric(
  name: string,
  [other, current]: readonly [number | null, number | null],
  format: (value: number) => string,
): Measure {
  const shown = (value: number | null) => (value === null ? 'Unknown' : format(value));
  return { name, other: shown(other), current: shown(current), difference: differenceText(other, current, format) };
}

/** +120 (+12%) */
function differenceText(other: number | null, current: number | null, format: (value: number) => string): string {
  if (other === null || current === null) return 'Unknown';
  const change = current - other;
  if (change === 0) return 'Same';
  const sign = change > 0 ? '+' : '−';
  const amount = `${sign}${format(Math.abs(change))}`;
  return other === 0 ? amount : `${amount} (${sign}${formatPercent(Math.abs(change), Math.abs(other))})`;
}
