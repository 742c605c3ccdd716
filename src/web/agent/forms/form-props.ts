import type { JsonObject, PendingToolCall } from '../../../sdk/index.ts';
import type { CallPlace } from '../drafts.ts';
import type { Refusal } from '../use-round.ts';

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
