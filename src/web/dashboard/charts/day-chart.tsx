import { lazy, Suspense, useCallback, useState } from 'react';
import { dayName } from '../days.ts';

const Plot = lazy(async () => ({ default: (await import('./plot.tsx')).Plot }));

/** A row of numbers, one for each day; null where there is none. */
export interface Series {
  readonly label: string;
  /** A colour of the page. */
  readonly color: 'accent' | 'danger' | 'ok' | 'warn';
  /** Bars of several series stand in front of each other: the first one is the whole. */
  readonly look: 'bars' | 'line';
  readonly values: readonly (number | null)[];
}

const SWATCHES = { accent: 'bg-accent', danger: 'bg-danger', ok: 'bg-ok', warn: 'bg-warn' } as const;

interface Props {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** A number in full. */
  readonly format: (value: number) => string;
  /** A number at the axis; as in full where it is left out. */
  readonly formatAxis?: (value: number) => string;
  /** Whether all are counts, which have no halves. */
  readonly whole?: boolean;
}

/** Numbers over days: drawn, and as a table for whoever cannot see the drawing. */
export function DayChart({ title, days, series, format, formatAxis = format, whole = false }: Props) {
  const [pointed, point] = useState<number | null>(null);
  const onPoint = useCallback((index: number | null) => point(index), []);
  const day = pointed === null ? undefined : days[pointed];
  return (
    <section className="min-w-0 rounded-xl border border-line bg-surface p-5">
      <h3 className="font-semibold">{title}</h3>
      <ul className="mt-1 mb-3 flex min-h-6 flex-wrap gap-x-4 text-sm text-muted">
        {series.map(({ label, color, values }) => (
          <li key={label} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2.5 rounded-sm ${SWATCHES[color]}`} />
            {label}
            {pointed !== null && <span className="tabular-nums text-ink">{shown(values[pointed], format)}</span>}
          </li>
        ))}
        {day && <li className="ml-auto">{dayName(day)}</li>}
      </ul>
      <div role="img" aria-label={`${title} by day, drawn. The table below says the same.`}>
        <Suspense fallback={<div className="h-[200px]" />}>
          <Plot {...{ days, series, whole, onPoint }} format={formatAxis} />
        </Suspense>
      </div>
      <DayTable {...{ title, days, series, format }} />
    </section>
  );
}

function DayTable({ title, days, series, format }: Omit<Props, 'formatAxis' | 'whole'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className="mt-2 text-sm">
      <summary className="cursor-pointer text-muted">Show as table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
        <section tabIndex={0} aria-label={`${title} by day`} className="mt-2 max-h-72 overflow-auto">
          <table aria-label={`${title} by day`} className="w-full tabular-nums">
            <thead>
              <tr className="border-b border-line text-left text-muted">
                <th scope="col" className="py-1 pr-3 font-medium">
                  Day
                </th>
                {series.map(({ label }) => (
                  <th key={label} scope="col" className="py-1 pl-3 text-right font-medium">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.map((day, index) => (
                <tr key={day} className="border-b border-line">
                  <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
                    {day}
                  </th>
                  {series.map(({ label, values }) => (
                    <td key={label} className="py-1 pl-3 text-right">
                      {shown(values[index], format)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}

const shown = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value);
