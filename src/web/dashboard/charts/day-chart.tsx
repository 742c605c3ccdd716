import { useCallback, useState } from 'react';
import { enhancement } from '../../ui/load.ts';
import { dayName, longDayName } from '../days.ts';
import type { Series } from './plot.tsx';

/** Without its script, the table has the data. */
const plots = enhancement(() => import('./plot.tsx'));

const SWATCHES = { accent: 'bg-accent', danger: 'bg-danger', ok: 'bg-ok', warn: 'bg-warn' } as const;

interface Props {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Formats a number in the legend and in the table. */
  readonly format: (value: number) => string;
  /** Formats a number on the axis, whose largest number may decide on the unit. Default: `format`. */
  readonly formatAxis?: (value: number, largest: number) => string;
  /** Whether all values are counts, so the axis shows whole numbers. */
  readonly whole?: boolean;
  /** Whether all values are seconds, so the axis shows steps of a clock. */
  readonly duration?: boolean;
}

/** A chart of values per day, with the same values as a table. */
export function DayChart({ title, days, series, format, formatAxis = format, whole = false, duration = false }: Props) {
  const module = plots.useModule();
  const [pointed, setPointed] = useState<number | null>(null);
  const onPoint = useCallback((index: number | null) => setPointed(index), []);
  const day = pointed === null ? undefined : days[pointed];
  return (
    <section className="min-w-0 rounded-xl border border-line bg-surface p-4 shadow-sm md:p-5">
      <h3 className="font-semibold">{title}</h3>
      <ul className="mt-1 mb-3 flex min-h-6 flex-wrap gap-x-4 text-sm text-muted">
        {series.map(({ label, color, values }) => (
          <li key={label} className="flex items-center gap-1.5">
            {series.length > 1 && <span aria-hidden="true" className={`size-2.5 rounded-sm ${SWATCHES[color]}`} />}
            {label !== title && label}
            {pointed !== null && <span className="tabular-nums text-ink">{formatValue(values[pointed], format)}</span>}
          </li>
        ))}
        {day && <li className="ml-auto">{dayName(day)}</li>}
      </ul>
      <div role="img" aria-label={`${title} by day. The table below has the same data.`}>
        {module ? (
          <module.Plot {...{ days, series, onPoint }} steps={stepsOf(whole, duration)} format={formatAxis} />
        ) : (
          <div className="h-[200px] animate-pulse rounded-lg bg-sunken" />
        )}
      </div>
      <DayTable {...{ title, days, series, format }} />
    </section>
  );
}

const stepsOf = (whole: boolean, duration: boolean) => {
  if (duration) return 'duration';
  return whole ? 'whole' : 'any';
};

function DayTable({ title, days, series, format }: Omit<Props, 'formatAxis' | 'whole' | 'duration'>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className="mt-2 text-sm">
      <summary className="cursor-pointer text-muted">Show as table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
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
                    {longDayName(day)}
                  </th>
                  {series.map(({ label, values }) => (
                    <td key={label} className="py-1 pl-3 text-right">
                      {formatValue(values[index], format)}
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

const formatValue = (value: number | null | undefined, format: (value: number) => string) =>
  value === null || value === undefined ? '–' : format(value);
