import type { JsonObject, PendingToolCall } from '../../../sdk/index.ts';
import type { CallAddress } from '../drafts.ts';
import type { Rejection } from '../use-round.ts';

/** The message of a rejection with the name that the form uses for the field. */
export function rejectionText({ message }: Rejection, subject: string): string {
  return message.replace('{field}', subject);
}

/** The props of a form that enters the output of a call. */
export interface FormProps {
  readonly call: PendingToolCall;
  readonly address: CallAddress;
  readonly rejection: Rejection | undefined;
  /** The label of the submit button. */
  readonly submit: string;
  readonly isSending: boolean;
  /** Whether the form takes the focus when it appears. */
  readonly takesFocus: boolean;
  readonly onOutput: (output: JsonObject) => void;
}
