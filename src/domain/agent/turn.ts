import type { ConversationStatus } from '../../contract/statuses.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';
import type { ToolDefinition } from './model-port.ts';

/** A turn that was accepted: its run holds the conversation until it is settled. */
export interface AcceptedTurn {
  readonly runId: string;
  /** Grows with every owner of the run; a write under an older one is refused. */
  readonly fence: number;
  /** Model steps that are already stored. */
  readonly step: number;
  readonly acceptedAt: Date;
  readonly conversation: AcceptedConversation;
  readonly deployment: PublishedDeployment;
  readonly model: string;
  readonly historyLimit: number;
  readonly tools: readonly ToolDefinition[];
}

export interface AcceptedConversation {
  readonly id: string;
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** A turn that ended with the assistant's reply (SPEC 4.1, 4.4). */
export interface FinishedTurn {
  readonly outcome: 'finished';
  readonly runId: string;
  readonly runStatus: 'completed';
  readonly conversationId: string;
  readonly conversationStatus: ConversationStatus;
  readonly completedAt: Date | null;
  readonly name: string;
  readonly content: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** From acceptance to settlement. */
  readonly responseTimeMs: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
