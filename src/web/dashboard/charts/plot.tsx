import 'uplot/dist/uPlot.min.css';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import { dayName, dayOf, startOf } from '../days.ts';
import type { Series } from './day-chart.tsx';

interface Props {
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Whether all are counts. */
  readonly whole: boolean;
  /** Which day the pointer is at, by its place in `days`. */
  readonly onPoint: (index: number | null) => void;
}

const HEIGHT = 200;
const DAY_S = 86_400;
/** Counts have no halves. */
const WHOLE = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const DAYS_BETWEEN = [1, 2, 4, 7, 14, 28, 56].map((days) => days * DAY_S);

/** A colour of the page as it is now, in light or in dark. */
const colorOf = (token: string) => getComputedStyle(document.documentElement).getPropertyValue(`--color-${token}`);

/** The drawing itself, as wide as the place that it has. It is loaded where there is something to draw. */
export function Plot({ days, series, format, whole, onPoint }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const data = useMemo(() => dataOf(days, series), [days, series]);
  const latest = useRef({ format, onPoint, data });
  useEffect(() => {
    latest.current = { format, onPoint, data };
    if (plot.current?.data !== data) plot.current?.setData(data);
  }, [format, onPoint, data]);
  const shape = JSON.stringify(series.map(({ label, color, look }) => ({ label, color, look })));
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const drawn = new uPlot(
      optionsOf({ shapes: JSON.parse(shape), whole, width: element.clientWidth, latest }),
      latest.current.data,
      element,
    );
    plot.current = drawn;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => drawn.redraw();
    dark.addEventListener('change', redraw);
    const resized = new ResizeObserver(() => drawn.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      dark.removeEventListener('change', redraw);
      resized.disconnect();
      plot.current = undefined;
      drawn.destroy();
    };
  }, [shape, whole]);
  return <div ref={place} className="h-[200px] overflow-hidden" />;
}

function dataOf(days: readonly string[], series: readonly Series[]): uPlot.AlignedData {
  const at = days.map((day) => Date.parse(startOf(day)) / 1_000);
  return [at, ...series.map(({ values }) => [...values])];
}

type Shape = Pick<Series, 'label' | 'color' | 'look'>;

interface Drawing extends Pick<Props, 'whole'> {
  readonly shapes: readonly Shape[];
  readonly width: number;
  readonly latest: { readonly current: Pick<Props, 'format' | 'onPoint'> };
}

function optionsOf({ shapes, whole, width, latest }: Drawing): uPlot.Options {
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
      // Days in UTC are multiples of their length; half a day beside the first and the last is for their bars.
      x: { time: false, range: ({ data: [at] }) => [(at[0] ?? 0) - DAY_S / 2, (at.at(-1) ?? 0) + DAY_S / 2] },
      y: { range: (_, __, most) => [0, most > 0 ? most * 1.1 : 1] },
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
        size: 60,
        space: 36,
        ...(whole && { incrs: WHOLE }),
        values: (_, values) => values.map((value) => latest.current.format(value)),
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
