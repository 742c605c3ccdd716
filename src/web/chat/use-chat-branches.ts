import { type RefObject, useMemo } from 'react';
import { numberOfItem } from '../../contract/ids.ts';
import type { BranchMethods, ChatState, ReplaceOptions } from '../../sdk/index.ts';
import type { Variants } from '../branches/branch-context.ts';
import type { Replacing } from '../branches/use-replacing.ts';
import type { SavedConversations } from '../conversations/saved-conversations.ts';
import { useHostedBranches } from '../conversations/use-hosted-branches.ts';
import type { UseChat } from './use-chat.ts';

interface Options {
  readonly saved: SavedConversations;
  /** The composer. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly isOnline: boolean;
}

/** What the user can do with the messages of a chat. */
export function useChatBranches(
  { chat, state, thread, conversation, open }: UseChat,
  { saved, field, isOnline }: Options,
): Replacing {
  const { messages, status, id, conversationStatus, handling } = chat;
  const { outgoing, opening, ended } = state;
  const isRunning = status === 'running' || outgoing?.phase === 'sending' || outgoing?.phase === 'stopping';
  const isOpen = id !== null && opening === 'done' && isOnline;
  const isActive = isOpen && !ended && conversationStatus !== 'completed';
  const variants = useMemo(() => variantsOf(messages), [messages]);
  const replaced = <Args extends readonly unknown[], Result>(send: (...args: Args) => Promise<Result>) => {
    return (...args: Args) => {
      // It says how the turn has ended that is replaced now.
      if (outgoing) thread.discard(outgoing);
      return send(...args);
    };
  };
  const methods: BranchMethods<ReplaceOptions, unknown> = {
    ...conversation,
    edit: replaced(conversation.edit),
    regenerate: replaced(conversation.regenerate),
  };
  return useHostedBranches(
    { methods, saved, onOpen: open, field, isShown: () => false },
    {
      canReplace: isActive && !isRunning && !handling,
      isWaiting: isActive && isRunning,
      canFork: isOpen && !isRunning,
      lastId: idOf(messages.at(-1)),
      lastPersonId: idOf(messages.findLast(({ author }) => author)),
      lastUserId: idOf(messages.findLast(({ role }) => role === 'user')),
      variantsOf: variants,
    },
  );
}

const idOf = (message: ChatState['messages'][number] | undefined) => message && String(message.id);

/** The variants by the numbers of messages, as the rows have them. */
function variantsOf(messages: ChatState['messages']): (id: string) => Variants | undefined {
  const all = new Map(
    messages.flatMap(({ id, variants }): [string, Variants][] =>
      variants
        ? [
            [
              String(id),
              { position: variants.position, ids: variants.itemIds.map((itemId) => String(numberOfItem(itemId))) },
            ],
          ]
        : [],
    ),
  );
  return (id) => all.get(id);
}

/** `item_0000000000000012` → `12` */
