import type { FinishReason } from '../../../contract/statuses.ts';
import type { Usage } from '../../../contract/token-usage.ts';
import type { NewCall } from '../tools/calls.ts';
import type { Reply } from '../turn.ts';

/** A model step of a test. */
export interface DraftStep extends Usage {
  /** Counts from 1 in each turn. */
  readonly number: number;
  readonly text: string;
  readonly calls: readonly NewCall[];
  /** The time that the model took. */
  readonly responseTimeMs: number;
}

/** The end of a turn, or of its part before a pause. */
export interface DraftTurnResult extends Usage {
  /** Null while calls wait for their results. */
  readonly content: Reply | null;
  readonly finishReason: FinishReason | null;
  /** Whether a published deployment would complete the conversation now. */
  readonly completesConversation: boolean;
  readonly model: string;
  readonly responseTimeMs: number;
  readonly workflowLogId: number;
}

/** The events of a turn: start, deltas and steps, done. A step can arrive again with the results of its calls. */
export type DraftTurnEvent =
  | { readonly kind: 'start' }
  | { readonly kind: 'delta'; readonly number: number; readonly text: string }
  | { readonly kind: 'step'; readonly step: DraftStep }
  | { readonly kind: 'done'; readonly result: DraftTurnResult };
