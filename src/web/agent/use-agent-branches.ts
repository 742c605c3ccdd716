import { type RefObject, useMemo } from 'react';
import type { ParleyError } from '../../sdk/index.ts';
import type { UseAgent } from '../../sdk/react/index.ts';
import type { Variants } from '../branches/branch-context.ts';
import type { Replacing } from '../branches/use-replacing.ts';
import type { SavedConversations } from '../conversations/saved-conversations.ts';
import { useHostedBranches } from '../conversations/use-hosted-branches.ts';

interface Options {
  readonly saved: SavedConversations;
  readonly onOpen: (conversationId: string) => void;
  /** The composer. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** A message of the user is being sent. */
  readonly isSending: boolean;
}

/** What the user can do with the messages of an agent conversation. */
export function useAgentBranches(agent: UseAgent, { isSending, ...options }: Options): Replacing {
  const { history, status, conversationId, conversationStatus, handling } = agent;
  const isRunning = isSending || status === 'running';
  const isOpen = conversationId !== null && status !== 'loading' && status !== 'closed';
  const isActive = isOpen && conversationStatus !== 'completed';
  const variants = useMemo(() => variantsOf(history), [history]);
  const messages = history.filter(({ type }) => type === 'message');
  return useHostedBranches(
    { methods: agent, ...options, isShown },
    {
      canReplace: isActive && !isRunning && !handling && status !== 'awaiting_input',
      isWaiting: isActive && isRunning,
      canFork: isOpen && !isRunning,
      lastId: messages.at(-1)?.id,
      lastPersonId: messages.findLast((item) => item.type === 'message' && item.author)?.id,
      lastUserId: messages.findLast((item) => item.type === 'message' && item.role === 'user')?.id,
      variantsOf: variants,
    },
  );
}

/** The state of the agent has the error of a turn that was accepted and has failed then. */
const isShown = ({ type, details }: ParleyError) => type === 'api_error' && typeof details.conversation_id === 'string';

function variantsOf(history: UseAgent['history']): (id: string) => Variants | undefined {
  const all = new Map(
    history.flatMap((item): [string, Variants][] => {
      if (item.type !== 'message' || !item.variants) return [];
      const { position, itemIds } = item.variants;
      return [[item.id, { position, ids: itemIds }]];
    }),
  );
  return (id) => all.get(id);
}
