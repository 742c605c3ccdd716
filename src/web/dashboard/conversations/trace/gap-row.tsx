import { pendingActionKind } from '../../../../contract/client-tools.ts';
import { titleOf } from '../../../timeline/labels.ts';
import { Time } from '../../../ui/time.tsx';
import type { Axis } from './axis.ts';
import { Bar } from './axis-view.tsx';
import { durationText } from './duration-text.ts';
import type { Gap, GapCause, Pause } from './turn-rows.ts';

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
          {pause ? pauseName(pause) : NAMES[cause as Exclude<GapCause, 'pause'>]}
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

const AWAITED = { answer: 'an answer', approval: 'an approval', budget: 'a higher budget' } as const;

/** Waited for an answer: Questions, answered by Ada. If the calls are not known, it names only who could answer. */
function pauseName({ to, calls }: Pause): string {
  const verb = to === null ? 'Waits' : 'Waited';
  if (calls.length === 0) return `${verb} for the client or a member`;
  const kinds = new Set(calls.map(({ name }) => pendingActionKind(name)));
  const awaited = [...kinds].map((kind) => AWAITED[kind]).join(' and ');
  const answers = calls.filter(({ name }) => pendingActionKind(name) === 'answer').map(({ name }) => titleOf(name));
  const members = new Set(calls.flatMap(({ answeredBy }) => answeredBy ?? []));
  const by = members.size > 0 ? `, answered by ${[...members].join(', ')}` : '';
  return `${verb} for ${awaited}${answers.length > 0 ? `: ${[...new Set(answers)].join(', ')}` : ''}${by}`;
}
