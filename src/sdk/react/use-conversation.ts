import { useEffect, useState } from 'react';
import type { ParleyClient } from '../client.ts';
import type { ChatState, ConversationController } from '../conversation-api.ts';
import { useControllerState } from './use-store.ts';

/** A state, and the controller that it is of. */
export interface UseConversation extends ChatState {
  /** `start`, `run`, `stream`, `loadMessages`, `list` and `abort`. */
  readonly conversation: ConversationController;
}

/**
 * An ordinary conversation of the component's own; given up with the component.
 *
 * @example
 * const { conversation, messages, live, status } = useConversation(client);
 * const send = (text: string) => conversation.stream({ content: text }).catch(() => {}); // the state tells the error
 */
export function useConversation(client: ParleyClient): UseConversation {
  const [conversation] = useState(() => client.createConversation());
  const state = useControllerState(conversation);
  useEffect(() => () => conversation.abort(), [conversation]);
  return { ...state, conversation };
}
