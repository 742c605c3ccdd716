import type { ConversationStatus, FinishReason } from '../../contract/statuses.ts';
import type { Usage } from '../../contract/token-usage.ts';
import type { CountedPrompt, Spending } from '../budgets/spending.ts';
import type { CallEntry, HistoryLimit, TimelineEntry } from '../conversations/timeline.ts';
import type { PublishedDeployment, RunnableWorkflow } from '../workflows/deployments.ts';
import type { NewCall } from './tools/calls.ts';
import type { OfferedTool } from './tools/offered-tool.ts';

/** The model of a deployment or a draft, with the variables for its instructions. */
export interface Assistant {
  readonly deployment: RunnableWorkflow;
  readonly model: string;
  readonly variables: Readonly<Record<string, string>>;
  /** What its steps spend. Undefined: the environment has no budgets. */
  readonly spending?: Spending | undefined;
}

/** The content of a reply: text, or the parsed object if the deployment has an output schema. */
export type Reply = string | Readonly<Record<string, unknown>>;

/** The model's final text, and why it ends. */
export interface ModelReply {
  readonly text: string;
  readonly finishReason: FinishReason | null;
}

/** An accepted turn. Its run holds the conversation until the run is settled or paused. */
export interface AcceptedTurn {
  readonly runId: string;
  /** Increases with every new owner of the run. A write with an older number is rejected. */
  readonly fence: number;
  /** The number of model steps that were stored before this turn. */
  readonly step: number;
  /** Tool results were accepted in this run. If the turn fails, the run becomes `interrupted`. */
  readonly resumed: boolean;
  /** The usage of the run before this turn. */
  readonly usageBefore: Usage;
  readonly acceptedAt: Date;
  /** The same moment on the monotonic clock. Durations of the turn are measured from it. */
  readonly acceptedMs: number;
  readonly conversation: AcceptedConversation;
  /** The model's view of the conversation, if the accepting statement could read it as well. */
  readonly entries?: readonly TimelineEntry[] | undefined;
  readonly deployment: PublishedDeployment;
  readonly model: string;
  readonly historyLimit: HistoryLimit;
  readonly tools: readonly OfferedTool[];
  /** The trigger that the request names. */
  readonly triggerId: string | null;
  /** How many more times another process can take the run over. */
  readonly attemptsLeft: number;
  /** Whether the turn can pause for its client. A v1 turn cannot. */
  readonly canPause: boolean;
  /** Set if the message was only stored: the conversation waits for a person, or a member answers it. */
  readonly handledBy?: 'waiting' | 'member' | undefined;
  /** Set if this process took the run over: what earlier processes stored of the turn. */
  readonly end?: TurnEnd | undefined;
}

/** The state of a turn when it ends. */
export interface TurnEnd {
  readonly step: number;
  readonly usage: Usage;
  /** Whether requests to complete the conversation are still undecided. */
  readonly openCompletions: boolean;
  /** The call ID of the request to apply. */
  readonly completion: string | null;
  /** Tokens of the last step, with its reply. Undefined: it did not get everything since the newest summary. */
  readonly contextTokens?: number | undefined;
}

/** A stored step whose actions have not all run. */
export interface OpenStep {
  readonly entries: readonly TimelineEntry[];
  /** The actions without a result, in order. */
  readonly actions: readonly ActionToRun[];
}

/** A call of a server action. */
export interface ActionToRun extends NewCall {
  /** An earlier process may have run it, and it must not run twice. */
  readonly isOutcomeUnknown?: boolean;
}

export interface AcceptedConversation {
  readonly id: string;
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  /** Tokens of its latest model step, with the reply, if that step got everything since the newest summary. */
  readonly contextTokens: number;
  /** The last prompt that a provider has counted. Null: unknown. */
  readonly countedPrompt: CountedPrompt | null;
}

/** A turn as an idempotency key stores it. The conversation ID finds the key when the conversation is deleted. */
export interface RecordedTurn extends Pick<FinishedTurn, 'conversationId' | 'runId'> {
  /** For a resume: the number of model steps of the run that were stored before it. */
  readonly step?: number;
}

interface TurnBase {
  readonly runId: string;
  readonly conversationId: string;
  readonly conversationStatus: ConversationStatus;
  readonly completedAt: Date | null;
  readonly name: string;
}

/** A turn that ended: with the reply, or interrupted after its tool results were accepted. */
export interface FinishedTurn extends TurnBase, Usage {
  readonly outcome: 'finished';
  readonly runStatus: 'completed' | 'interrupted';
  readonly finishReason: FinishReason | null;
  /** For an interrupted turn: the partial reply, usually empty. */
  readonly content: Reply;
  readonly model: string;
  /** The time from acceptance to settlement. */
  readonly responseTimeMs: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** The ID of the request that ran the turn, if a replay returns it. */
  readonly requestId?: string;
  /** Set if no turn ran: the conversation waits for a person, or a member answers the message. */
  readonly handledBy?: 'waiting' | 'member' | undefined;
}

export type PendingCall = Pick<CallEntry, 'callId' | 'name' | 'arguments' | 'expiresAt'>;

/** A turn that waits for its client. The client must resolve every pending call. */
export interface PausedTurn extends TurnBase {
  readonly outcome: 'paused';
  readonly runStatus: 'waiting_for_client_action';
  readonly pendingCalls: readonly PendingCall[];
}

export type TurnResult = FinishedTurn | PausedTurn;

/** A turn whose request does not wait for the outcome. */
export interface StartedTurn extends RecordedTurn {
  readonly outcome: 'started';
  /** Set if no turn runs: the conversation waits for a person, or a member answers the message. */
  readonly handledBy?: 'waiting' | 'member' | undefined;
}
