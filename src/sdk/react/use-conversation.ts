import * as React from 'react';
import type { ParleyClient } from '../client.ts';
import type { ChatState, ConversationController } from '../conversation-api.ts';
import { useController, useControllerState } from './use-controller.ts';

/** The state of a chat conversation and its controller. */
export interface UseConversation extends ChatState {
  /** The controller: `start`, `run`, `stream`, `regenerate`, `edit`, `selectVariant`, `fork`, `stop`, `rateMessage`, `loadMessages`, `list` and `abort`. */
  readonly conversation: ConversationController;
}

/** Options of {@link useConversation}. */
export interface UseConversationOptions {
  /** False: shows only turns of this component. Default: true, as {@link ConversationController.follow}. */
  readonly follow?: boolean | undefined;
}

/**
 * A chat conversation that belongs to the component. It follows the open conversation, and is aborted when the component
 * unmounts. A different client starts with a new conversation.
 *
 * @example
 * const { conversation, messages, live, status } = useConversation(client);
 * const send = (text: string) => conversation.stream({ content: text }).catch(() => {}); // the state has the error
 */
export function useConversation(client: ParleyClient, { follow = true }: UseConversationOptions = {}): UseConversation {
  const conversation = useController(client, () => client.createConversation());
  const state = useControllerState(conversation);
  React.useEffect(() => (follow ? conversation.follow() : undefined), [conversation, follow]);
  React.useEffect(() => () => conversation.abort(), [conversation]);
  return { ...state, conversation };
}
