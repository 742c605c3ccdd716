import type { ErrorCode } from '../../../contract/errors.ts';
import type { FinishReason, RunStatus } from '../../../contract/statuses.ts';
import type { TimelineItem } from '../../../db/generated/client.ts';
import type { PendingCall } from '../turn.ts';

/** The part of a run's state that the feed reports. */
export interface TurnState {
  readonly runId: string;
  readonly status: RunStatus;
  /** The number of stored model steps. */
  readonly step: number;
  readonly finishReason: FinishReason | null;
  readonly errorCode: ErrorCode | null;
}

/** What happened in a turn, without its place in the feed. */
export type TurnChange =
  | { readonly kind: 'turn.started'; readonly runId: string }
  /** Reasoning to append at `offset` to the reasoning of the step that writes the message. */
  | { readonly kind: 'reasoning.delta'; readonly messageKey: string; readonly offset: number; readonly text: string }
  /** Text to append at `offset`, in UTF-16 code units, to the text of the message. */
  | { readonly kind: 'text.delta'; readonly messageKey: string; readonly offset: number; readonly text: string }
  /** The text and the reasoning so far are void. It is written again, or never. */
  | { readonly kind: 'step.restarted'; readonly messageKey: string }
  /** A stored or changed item of the timeline. */
  | { readonly kind: 'item'; readonly item: TimelineItem; readonly messageKey: string | null }
  /** Items left the active line of the conversation. */
  | { readonly kind: 'items.superseded'; readonly items: readonly TimelineItem[] }
  | { readonly kind: 'turn.paused'; readonly runId: string; readonly pendingCalls: readonly PendingCall[] }
  /** `reply` is the text of the reply, complete or partial. */
  | { readonly kind: 'turn.ended'; readonly turn: TurnState; readonly reply: string | null };

/** An event of the feed, and the cursor to continue after it. */
export type TurnEvent = TurnChange & { readonly cursor: string; readonly conversationId: string };

/** Names the message that a model step writes: before it is stored, and as an item of the timeline. */
export function messageKey(runId: string, step: number): string {
  return `${runId}:${step}`;
}

/** Whether the turn is running, or waits for its client. */
export function isActive({ status }: Pick<TurnState, 'status'>): boolean {
  return status === 'running' || status === 'waiting_for_client_action';
}
