import type { JsonObject, PendingToolCall } from '../../../sdk/index.ts';
import type { CallPlace } from '../drafts.ts';
import type { Refusal } from '../use-round.ts';

/** Why the service did not take something, in the words of its form. */
export function refusalText({ message }: Refusal, subject: string): string {
  return message.replace('{field}', subject);
}

/** What the form of each kind of call is given. */
export interface FormProps {
  readonly call: PendingToolCall;
  readonly place: CallPlace;
  readonly refusal: Refusal | undefined;
  /** What its button says. */
  readonly submit: string;
  readonly isSending: boolean;
  readonly takesFocus: boolean;
  readonly onGive: (output: JsonObject) => void;
}
