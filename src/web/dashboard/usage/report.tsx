import { useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatShortCount } from '../../ui/numbers.ts';
import { DayChart } from '../charts/day-chart.tsx';
import type { Series } from '../charts/plot.tsx';
import { csvOf } from '../csv.ts';
import { daysOf, longDayName } from '../days.ts';
import { saveFile } from '../download.ts';
import { Section } from '../frame/page-frame.tsx';
import { useMoney } from '../money.ts';
import { type Group, LABELS } from './groups.tsx';
import { csvRows, type Deployments, groupCell, MEASURES, type Measure, type Row, type Usage } from './measures.ts';
import type { Period } from './period.ts';

interface Props {
  readonly usage: Usage;
  readonly period: Period;
  readonly groups: readonly Group[];
  readonly deployments: Deployments;
}

/** The page shows this many rows at first. The CSV file always has all rows. */
const FIRST_ROWS = 200;

/** Usage as charts and as a table, with the cost if all models have a price. */
export function Report({ usage, period, groups, deployments }: Props) {
  const [showsAll, showAll] = useState(false);
  const { currency } = useMoney();
  const rows = showsAll ? usage.rows : usage.rows.slice(0, FIRST_ROWS);
  const download = () =>
    saveFile(`usage-${period.first}-${period.last}.csv`, csvOf(csvRows({ currency, usage, groups, deployments })));
  return (
    <>
      <ReportChart {...{ usage, period }} />
      <Section title="Usage" actions={<Button onClick={download}>Download CSV</Button>}>
        {usage.total[0]?.cost === null && (
          <p className="mb-3 text-muted">The cost of a row needs a price for each of its models. Set prices below.</p>
        )}
        <UsageTable rows={rows} total={usage.total[0]} {...{ groups, deployments }} />
        {rows.length < usage.rows.length && (
          <div className="mt-3 flex flex-wrap items-center gap-3">
            <span className="text-muted">
              {formatCount(rows.length)} of {formatCount(usage.rows.length)} rows
            </span>
            <Button small onClick={() => showAll(true)}>
              Show all
            </Button>
          </div>
        )}
      </Section>
    </>
  );
}

function ReportChart({ usage, period: { first, last } }: Pick<Props, 'usage' | 'period'>) {
  const money = useMoney();
  const days = useMemo(() => daysOf(first, last), [first, last]);
  const { tokens, cost } = useMemo(() => {
    const byDay = new Map(usage.days.map((day) => [day.day, day]));
    const row = (label: string, color: Series['color'], of: (day: Usage['days'][number]) => number): Series => {
      const valueAt = (day: string) => {
        const usageOfDay = byDay.get(day);
        return usageOfDay ? of(usageOfDay) : 0;
      };
      return { label, color, look: 'bars', values: days.map(valueAt) };
    };
    return {
      tokens: [
        row('Input and output', 'accent', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
        row('Output', 'ok', ({ outputTokens }) => outputTokens),
      ],
      cost: [row('Cost', 'warn', (day) => Number(day.cost ?? 0))],
    };
  }, [usage.days, days]);
  const hasCost = usage.days.some((day) => day.cost !== null);
  return (
    <div className={`grid gap-4 ${hasCost ? 'lg:grid-cols-2' : ''}`}>
      <DayChart title="Tokens" days={days} series={tokens} format={formatCount} formatAxis={formatShortCount} whole />
      {hasCost && <DayChart title="Cost" days={days} series={cost} format={money.format} formatAxis={money.exact} />}
    </div>
  );
}

interface TableProps extends Pick<Props, 'groups' | 'deployments'> {
  readonly rows: readonly Row[];
  readonly total: Usage['total'][number] | undefined;
}

function UsageTable({ rows, total, groups, deployments }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section tabIndex={0} aria-label="Usage by group" className="overflow-x-auto">
      <table aria-label="Usage" className="w-full tabular-nums">
        <thead>
          <tr className="border-b border-line text-left text-sm whitespace-nowrap text-muted">
            {groups.map((group) => (
              <th key={group} scope="col" className="px-3 py-2 font-medium first:sticky first:left-0 first:bg-surface">
                {LABELS[group]}
              </th>
            ))}
            {groups.length === 0 && <td />}
            {MEASURES.map(({ title }) => (
              <th key={title} scope="col" className="px-3 py-2 text-right font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.length > 0 &&
            rows.map((row) => (
              <tr
                key={JSON.stringify([row.day, row.deploymentId, row.model, row.endUser])}
                className="border-b border-line"
              >
                {groups.map((group) => (
                  <td key={group} className="px-3 py-2 whitespace-nowrap first:sticky first:left-0 first:bg-surface">
                    {group === 'DAY' && row.day ? longDayName(row.day) : groupCell(row, group, deployments)}
                  </td>
                ))}
                <MeasureCells row={row} />
              </tr>
            ))}
        </tbody>
        {total && (
          <tfoot>
            <tr className="font-semibold">
              <th
                scope="row"
                colSpan={Math.max(1, groups.length)}
                className="sticky left-0 bg-surface px-3 py-2 text-left"
              >
                Total
              </th>
              <MeasureCells row={total} />
            </tr>
          </tfoot>
        )}
      </table>
    </section>
  );
}

function MeasureCells({ row }: { readonly row: Parameters<Measure['format']>[0] }) {
  const money = useMoney();
  return MEASURES.map(({ title, format }) => (
    <td key={title} className="px-3 py-2 text-right whitespace-nowrap">
      {format(row, money)}
    </td>
  ));
}
