import { titleOf } from '../../../timeline/labels.ts';
import { Time } from '../../../ui/time.tsx';
import type { Axis } from './axis.ts';
import { Bar } from './axis-view.tsx';
import { durationText } from './duration-text.ts';
import { pauseName } from './pause-name.ts';
import type { Gap, GapCause } from './turn-rows.ts';

const NAMES: Readonly<Record<Exclude<GapCause, 'pause'>, string>> = {
  start: 'Waited to start',
  between: 'Between steps',
  after: 'After the last step',
  earlier: 'Earlier steps',
  later: 'Later steps',
};

/** A time in which the turn ran no step of this page. */
export function GapRow({ gap, axis }: { readonly gap: Gap; readonly axis: Axis }) {
  const { cause, pause, from, to } = gap;
  const isOpen = pause?.to === null;
  return (
    <li className="flex flex-col gap-2 bg-canvas py-2 pr-4 pl-11 text-sm text-muted">
      <span className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="min-w-0 break-words">
          {pause ? pauseName(pause, titleOf) : NAMES[cause as Exclude<GapCause, 'pause'>]}
        </span>
        {axis.isShortened(gap) && <span>shortened on the axis</span>}
        <span className="ml-auto tabular-nums">{isOpen ? <Since at={from} /> : durationText(to - from)}</span>
      </span>
      {!isOpen && <Bar row={gap} axis={axis} look={cause === 'pause' ? 'pause' : 'gap'} />}
    </li>
  );
}

const Since = ({ at }: { readonly at: number }) => (
  <>
    since <Time at={new Date(at).toISOString()} />
  </>
);
