import { pendingActionKind } from '../../../../contract/client-tools.ts';
import type { Pause } from './turn-rows.ts';

const AWAITED = { answer: 'an answer', approval: 'an approval', budget: 'a higher budget' } as const;

/** Waited for an answer: Questions, answered by Ada. If the calls are not known, it names only who could answer. */
export function pauseName({ to, calls }: Pause, titleOf: (tool: string) => string): string {
  const verb = to === null ? 'Waits' : 'Waited';
  if (calls.length === 0) return `${verb} for the client or a member`;
  const kinds = new Set(calls.map(({ name }) => pendingActionKind(name)));
  const awaited = [...kinds].map((kind) => AWAITED[kind]).join(' and ');
  const answers = calls.filter(({ name }) => pendingActionKind(name) === 'answer').map(({ name }) => titleOf(name));
  const members = new Set(calls.flatMap(({ answeredBy }) => answeredBy ?? []));
  const by = members.size > 0 ? `, answered by ${[...members].join(', ')}` : '';
  return `${verb} for ${awaited}${answers.length > 0 ? `: ${[...new Set(answers)].join(', ')}` : ''}${by}`;
}
