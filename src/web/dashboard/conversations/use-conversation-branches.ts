import type { ResultOf } from 'gql.tada';
import { type RefObject, useMemo } from 'react';
import type { UseAgent } from '../../../sdk/react/index.ts';
import type { Variants } from '../../branches/branch-context.ts';
import { type Replacing, useReplacing } from '../../branches/use-replacing.ts';
import { errorText, useBranchService } from '../branches/branch-service.ts';
import type { CONVERSATION } from './documents.ts';

type Conversation = NonNullable<ResultOf<typeof CONVERSATION>['conversation']>;

interface Options {
  readonly conversation: Conversation;
  readonly agent: UseAgent;
  readonly canWrite: boolean;
  /** The element that gets the focus when a message with the focus disappears. */
  readonly timeline: RefObject<HTMLElement | null>;
}

/** What a member can do with the messages of a conversation. */
export function useConversationBranches({ conversation, agent, canWrite, timeline }: Options): Replacing {
  const { status, history, conversationId } = agent;
  // While a person has the conversation, or it waits for one, nothing can be replaced.
  const isOpen =
    canWrite &&
    conversation.status === 'ACTIVE' &&
    conversation.handling.mode === 'ASSISTANT' &&
    conversationId !== null;
  const isRunning = status === 'running';
  const variants = useMemo(() => variantsOf(conversation), [conversation]);
  // The service has accepted the turn, so the focused button is about to disappear.
  const service = useBranchService(conversation.conversationId, () => timeline.current?.focus());
  const messages = history.filter(({ type }) => type === 'message');
  return useReplacing(service, {
    canReplace: isOpen && !isRunning && status !== 'loading' && status !== 'awaiting_input',
    isWaiting: isOpen && isRunning,
    canFork: canWrite && !isRunning && status !== 'loading',
    lastId: messages.at(-1)?.id,
    lastUserId: messages.findLast((item) => item.type === 'message' && item.role === 'user')?.id,
    variantsOf: variants,
    errorText,
  });
}

function variantsOf({ history: { nodes } }: Conversation): (id: string) => Variants | undefined {
  const all = new Map(
    nodes.flatMap((node): [string, Variants][] => {
      if (node.__typename !== 'Message' || !node.variants) return [];
      const { position, itemIds } = node.variants;
      return [[node.itemId, { position, ids: itemIds }]];
    }),
  );
  return (id) => all.get(id);
}
