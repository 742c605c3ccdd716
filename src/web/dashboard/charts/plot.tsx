import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { onThemeChange } from '../../ui/theme.ts';
import { dayName, dayOf, startOf } from '../days.ts';

/** The values of a chart, one for each day. Null means that the day has no value. */
export interface Series {
  readonly label: string;
  /** A color token of the page. */
  readonly color: 'accent' | 'danger' | 'ok' | 'warn';
  /** Bars of several series overlap: the first series is the total. */
  readonly look: 'bars' | 'line';
  readonly values: readonly (number | null)[];
}

interface Props {
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number, largest: number) => string;
  /** The numbers on the axis: any, whole numbers of counts, or those of a clock for seconds. */
  readonly steps: keyof typeof STEPS;
  /** Called with the index in `days` under the pointer. */
  readonly onPoint: (index: number | null) => void;
}

const HEIGHT = 200;
const DAY_S = 86_400;
const decimalSteps = (first: number, count: number) =>
  Array.from({ length: count }, (_, power) => [1, 2, 5].map((step) => step * 10 ** (first + power))).flat();
const STEPS = {
  any: undefined,
  whole: decimalSteps(0, 13),
  duration: [...decimalSteps(-4, 4), 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 18_000, 36_000],
} as const;
/** The width of a character on an axis. */
const CHARACTER_PX = 7;
const DAYS_BETWEEN = [1, 2, 4, 7, 14, 28, 56].map((days) => days * DAY_S);

/** The current value of a color token, which depends on light or dark mode. */
const colorOf = (token: string) => getComputedStyle(document.documentElement).getPropertyValue(`--color-${token}`);

/** The chart itself. It fills the width of its parent and loads on demand. */
export function Plot({ days, series, format, steps, onPoint }: Props) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = useMemo(() => dataOf(days, series), [days, series]);
  const latest = useRef({ format, onPoint, data });
  useEffect(() => {
    latest.current = { format, onPoint, data };
    if (plot.current?.data !== data) plot.current?.setData(data);
  }, [format, onPoint, data]);
  const shape = JSON.stringify(series.map(({ label, color, look }) => ({ label, color, look })));
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const chart = new uPlot(
      optionsOf({ shapes: JSON.parse(shape), steps, width: element.clientWidth, latest }),
      latest.current.data,
      element,
    );
    plot.current = chart;
    const endRedraws = onThemeChange(() => chart.redraw());
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      endRedraws();
      resized.disconnect();
      plot.current = undefined;
      chart.destroy();
    };
  }, [shape, steps]);
  return <div ref={container} className="h-[200px] overflow-hidden" />;
}

function dataOf(days: readonly string[], series: readonly Series[]): uPlot.AlignedData {
  const at = days.map((day) => Date.parse(startOf(day)) / 1_000);
  return [at, ...series.map(({ values }) => [...values])];
}

type Shape = Pick<Series, 'label' | 'color' | 'look'>;

interface PlotSettings extends Pick<Props, 'steps'> {
  readonly shapes: readonly Shape[];
  readonly width: number;
  readonly latest: { readonly current: Pick<Props, 'format' | 'onPoint'> };
}

function optionsOf({ shapes, steps, width, latest }: PlotSettings): uPlot.Options {
  const axis = {
    stroke: () => colorOf('muted'),
    grid: { stroke: () => colorOf('line'), width: 1 },
    ticks: { show: false },
    font: '12px ui-sans-serif, system-ui, sans-serif',
  };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      // Half a day of space at both ends leaves room for the first and the last bar.
      x: { time: false, range: ({ data: [at] }) => [(at[0] ?? 0) - DAY_S / 2, (at.at(-1) ?? 0) + DAY_S / 2] },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: DAYS_BETWEEN,
        space: 64,
        size: 28,
        values: (_, days) => days.map((at) => dayName(dayOf(at * 1_000))),
      },
      {
        ...axis,
        // As wide as its longest number.
        size: (_, texts) => 14 + CHARACTER_PX * Math.max(2, ...(texts ?? []).map((text) => text.length)),
        space: 36,
        ...(STEPS[steps] && { incrs: [...STEPS[steps]] }),
        values: (_, values) => values.map((value) => latest.current.format(value, values.at(-1) ?? 0)),
      },
    ],
    series: [{}, ...shapes.map(seriesOf)],
    hooks: { setCursor: [({ cursor: { idx } }) => latest.current.onPoint(idx ?? null)] },
  };
}

function seriesOf({ label, color, look }: Shape): uPlot.Series {
  const stroke = () => colorOf(color);
  if (look === 'line') return { label, stroke, width: 2, spanGaps: false, points: { size: 5, fill: stroke } };
  const paths = uPlot.paths.bars?.({ size: [0.6, 28] });
  return { label, stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
}
