import type { Axis } from './axis.ts';
import type { Interval } from './turn-rows.ts';

/** The times above the bars, in line with them. Decoration: every row has its duration as text. */
export function AxisTicks({ ticks, breaks }: Axis) {
  return (
    <div className="pr-4 pl-11">
      <svg aria-hidden="true" className="block h-6 w-full overflow-visible text-xs tabular-nums">
        <line x1="0" x2="100%" y1="23" y2="23" className="stroke-edge" />
        {ticks.map(({ position, label }) => (
          <g key={label}>
            <line x1={percent(position)} x2={percent(position)} y1="18" y2="23" className="stroke-edge" />
            <text x={percent(position)} y="13" textAnchor={anchorOf(position)} className="fill-muted">
              {label}
            </text>
          </g>
        ))}
        {breaks.map((position) => (
          <text key={position} x={percent(position)} y="13" textAnchor="middle" className="fill-muted">
            ⋯
          </text>
        ))}
      </svg>
    </div>
  );
}

const percent = (share: number) => `${100 * share}%`;

/** The labels at the edges stay within the axis. */
function anchorOf(position: number) {
  if (position < 0.05) return 'start';
  return position > 0.95 ? 'end' : 'middle';
}

const FILLS = {
  step: 'fill-accent',
  call: 'fill-ok',
  failed: 'fill-danger',
  pause: 'fill-warn',
  gap: 'fill-edge',
} as const;

interface BarProps {
  readonly row: Interval;
  readonly axis: Axis;
  readonly look: keyof typeof FILLS;
}

/** Where a row lies on the axis. */
export function Bar({ row, axis, look }: BarProps) {
  const start = axis.position(row.from);
  // A short row stays visible, also at the end.
  const width = Math.max(0.0075, axis.position(row.to) - start);
  return (
    <svg aria-hidden="true" className="block h-2 w-full overflow-hidden rounded-full bg-sunken">
      <rect
        x={percent(Math.min(start, 1 - width))}
        y="0"
        width={percent(width)}
        height="100%"
        rx="4"
        className={FILLS[look]}
      />
    </svg>
  );
}
