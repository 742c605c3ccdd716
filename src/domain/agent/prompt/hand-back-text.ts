import type { HandlingChange } from '../../handling/handling-state.ts';
import { HANDED_BACK } from '../model-port.ts';

const NOBODY_CAME =
  'No person of the team was available in time. Help the user yourself, and tell them so if they still wait for a person.';

/** What the model reads when a conversation returns to it. */
export function handBackText({ cause, author, summary, instructions }: HandlingChange): string {
  if (cause === 'wait_expired') return `${HANDED_BACK} ${NOBODY_CAME}`;
  return [
    `${HANDED_BACK} ${author?.displayName ?? 'A person'}, a person of the team, hands the conversation back to you.`,
    ...(summary ? [`What this person did: ${summary}`] : []),
    ...(instructions ? [`What you must do now: ${instructions}`] : []),
    '[End of the hand-over]',
  ].join('\n');
}
