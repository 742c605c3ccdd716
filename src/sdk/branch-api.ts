import type { CallStatus } from '../contract/statuses.ts';
import type { ContentInput } from './content.ts';

/** Options of `regenerate` and `edit`. */
export interface ReplaceOptions {
  /**
   * True: replaces the turns although their actions have changed something. Default: false. Then the call is rejected with
   * `turn_has_effects`, and {@link ParleyError.effects} lists these actions. They are never undone.
   */
  readonly acknowledgeEffects?: boolean | undefined;
  /** Pairs of earlier messages that the model receives, 0 to 100. Default: the setting of the workflow. */
  readonly historyLimit?: number | undefined;
  /** Stops waiting for the response. The turn continues on the server. */
  readonly signal?: AbortSignal | undefined;
  /** As in {@link StartOptions.idempotencyKey}. Default: a new key. */
  readonly idempotencyKey?: string | undefined;
}

/** The turn that `regenerate` runs again. */
export interface RegeneratedTurn {
  /**
   * The message or the reply that the user sees as the last one. If the conversation has gone on meanwhile, the call is rejected,
   * and nothing runs again. Default: the last turn, whichever it is.
   */
  readonly messageId?: number | string | undefined;
}

/** Options of `selectVariant`. */
export type SelectVariantOptions = Pick<ReplaceOptions, 'acknowledgeEffects' | 'signal' | 'idempotencyKey'>;

/** Options of `fork`. */
export interface ForkOptions extends Pick<ReplaceOptions, 'signal' | 'idempotencyKey'> {
  /** The published deployment of the fork. Default: that of the conversation. */
  readonly deploymentId?: string | undefined;
  /** The version of the workflow that the turns of the fork run. It takes a key with the scope `workflows:write`. */
  readonly workflowVersion?: number | undefined;
  /** Labels of the fork. Default: those of the conversation. */
  readonly meta?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** A conversation that `fork` created. */
export interface ForkedConversation {
  /** The ID to open it with. */
  readonly conversationId: string;
  /** The title. */
  readonly name: string;
}

/** The result of `selectVariant`. */
export interface SelectedVariant extends ForkedConversation {
  /** True: the variant is active in a new conversation. The open one stays as it is. */
  readonly isFork: boolean;
}

/** An action that may have changed something outside of the conversation. */
export interface TurnEffect {
  /** The ID of the call. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The status of the call. */
  readonly status: CallStatus;
}

/**
 * Methods of both controllers that change the active line of the open conversation. What they replace leaves the state when
 * the service has accepted the call, also in other clients. It stays stored. A rejected call replaces nothing.
 *
 * Users without an account need `allowEditing` of the deployment. Otherwise the calls are 403 `forbidden`.
 */
export interface BranchMethods<Options, Result> {
  /**
   * Runs the last turn again, also one that failed. Its reply and its calls leave the state, and the message of the user keeps
   * its ID. Resolves like a sent message.
   *
   * @example
   * await agent.regenerate().catch((error) => {
   *   if (error.code === 'turn_has_effects') askWhether(error.effects); // then: { acknowledgeEffects: true }
   * });
   * @throws {ParleyError} 409 `turn_has_effects`, `run_in_progress`, `client_action_required`, `conversation_completed`; 403
   * `forbidden`; 502 `model_error`; `invalid_call` if no conversation is open; 400 `invalid_request` or 409 `message_superseded`
   * if `messageId` is not in the last turn
   */
  regenerate(options?: Options & RegeneratedTurn): Promise<Result>;

  /**
   * Replaces a message of the user, and everything after it, with another message and a new turn. Resolves like a sent message.
   *
   * @example
   * await agent.edit(message.id, 'Where is my other order?');
   * @throws {ParleyError} as {@link BranchMethods.regenerate}; 409 `message_superseded` if another client replaced the message;
   * 400 `invalid_request` for a reply
   */
  edit(messageId: number | string, content: ContentInput, options?: Options): Promise<Result>;

  /**
   * Makes another variant of a message active: one of {@link Message.variants}. If messages of the user follow, the open
   * conversation stays as it is, and the result is a fork.
   *
   * @example
   * const { isFork, conversationId } = await agent.selectVariant(message.variants.itemIds[0]);
   * if (isFork) await agent.open(conversationId);
   * @throws {ParleyError} 409 `turn_has_effects`, `run_in_progress`, `client_action_required`, `conversation_completed`,
   * `message_superseded`, `fork_too_large`; 403 `forbidden`; `invalid_call` if no conversation is open
   */
  selectVariant(messageId: number | string, options?: SelectVariantOptions): Promise<SelectedVariant>;

  /**
   * Copies the active line up to an item into a new conversation. Default: up to the last turn that has ended. Does not open
   * the new conversation.
   *
   * @example
   * const { conversationId } = await agent.fork(message.id);
   * @throws {ParleyError} 409 `run_in_progress`, `message_superseded`, `fork_too_large`; 403 `forbidden`; `invalid_call` if no
   * conversation is open
   */
  fork(itemId?: number | string | null, options?: ForkOptions): Promise<ForkedConversation>;
}
