import type { JsonObject, PendingToolCall } from '../../../sdk/index.ts';
import { texts } from '../../texts/current.ts';
import type { CallAddress } from '../drafts.ts';
import type { Rejection } from '../use-round.ts';

/** The message of a rejection with the name that the form uses for the field. */
export function rejectionText({ message }: Rejection, subject: string): string {
  return texts().result.rejected(subject, message);
}

/** Who answers: the client of the conversation, on its page, or a member, in the dashboard. */
export type Viewer = 'client' | 'member';

/** The props of a form that enters the output of a call. */
export interface FormProps {
  readonly call: PendingToolCall;
  readonly address: CallAddress;
  readonly viewer: Viewer;
  readonly rejection: Rejection | undefined;
  /** The label of the submit button. */
  readonly submit: string;
  readonly isSending: boolean;
  /** Whether the form takes the focus when it appears. */
  readonly takesFocus: boolean;
  readonly onOutput: (output: JsonObject) => void;
}
