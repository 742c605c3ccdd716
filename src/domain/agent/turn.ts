import type { ConversationStatus } from '../../contract/statuses.ts';
import type { CallEntry, TimelineEntry } from '../conversations/timeline.ts';
import type { PublishedDeployment, RunnableWorkflow } from '../workflows/deployments.ts';
import type { OfferedTool } from './tools.ts';

/** Tokens that a model read and wrote. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0 };

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** Who answers: the model of a deployment or a draft, with these variables filled into its instructions. */
export interface Assistant {
  readonly deployment: RunnableWorkflow;
  readonly model: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A reply: text, or the parsed object where the deployment has an output schema (WIRE 9). */
export type Reply = string | Readonly<Record<string, unknown>>;

/** A turn that was accepted: its run holds the conversation until it is settled or paused. */
export interface AcceptedTurn {
  readonly runId: string;
  /** Grows with every owner of the run; a write under an older one is refused. */
  readonly fence: number;
  /** Model steps that were stored before. */
  readonly step: number;
  /** Tool results were accepted in this run, so that a fault leaves it interrupted. */
  readonly resumed: boolean;
  /** Of the whole run before this turn. */
  readonly usageBefore: Usage;
  readonly acceptedAt: Date;
  readonly conversation: AcceptedConversation;
  /** What its model is told, where the statement that accepted it could read that as well. */
  readonly entries?: readonly TimelineEntry[] | undefined;
  readonly deployment: PublishedDeployment;
  readonly model: string;
  readonly historyLimit: number;
  readonly tools: readonly OfferedTool[];
  /** The trigger that the request named. */
  readonly triggerId: string | null;
}

export interface AcceptedConversation {
  readonly id: string;
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** A turn as an idempotency key remembers it. What is kept under the key is found by the conversation's id. */
export interface MadeTurn extends Pick<FinishedTurn, 'conversationId' | 'runId'> {
  /** Of a resume: the model steps of the run that were stored before. */
  readonly step?: number;
}

interface TurnBase {
  readonly runId: string;
  readonly conversationId: string;
  readonly conversationStatus: ConversationStatus;
  readonly completedAt: Date | null;
  readonly name: string;
}

/** A turn that ended (SPEC 4.1, 4.4): with the reply, or interrupted after its tool results were accepted. */
export interface FinishedTurn extends TurnBase, Usage {
  readonly outcome: 'finished';
  readonly runStatus: 'completed' | 'interrupted';
  /** Where it was interrupted, what had been written of it and is kept: mostly nothing. */
  readonly content: Reply;
  readonly model: string;
  /** From acceptance to settlement. */
  readonly responseTimeMs: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type PendingCall = Pick<CallEntry, 'callId' | 'name' | 'arguments'>;

/** A turn that waits for its client (SPEC 4.1). Every pending call has to be resolved. */
export interface PausedTurn extends TurnBase {
  readonly outcome: 'paused';
  readonly runStatus: 'waiting_for_client_action';
  readonly pendingCalls: readonly PendingCall[];
}

export type TurnResult = FinishedTurn | PausedTurn;
