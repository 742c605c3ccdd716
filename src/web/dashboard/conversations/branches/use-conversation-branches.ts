import type { ResultOf } from 'gql.tada';
import { type RefObject, useMemo } from 'react';
import { enumValueOf } from '../../../../contract/enum-names.ts';
import type { UseAgent } from '../../../../sdk/react/index.ts';
import type { Variants } from '../../../branches/branch-context.ts';
import { type BranchService, type Replacing, useReplacing } from '../../../branches/use-replacing.ts';
import { texts } from '../../../texts/current.ts';
import { notify } from '../../../ui/toast.ts';
import { partInput } from '../../content-input.ts';
import { useGo } from '../../location.ts';
import type { RequestError } from '../../request-error.ts';
import { type MutationResult, useSend } from '../../requests.ts';
import type { CONVERSATION } from '../documents.ts';
import { EDIT_MESSAGE, FORK_CONVERSATION, REGENERATE_TURN, SELECT_VARIANT } from './documents.ts';

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
  const isOpen = canWrite && conversation.status === 'ACTIVE' && conversationId !== null;
  const isRunning = status === 'running';
  const variants = useMemo(() => variantsOf(conversation), [conversation]);
  const messages = history.filter(({ type }) => type === 'message');
  return useReplacing(useService(conversation.conversationId, timeline), {
    canReplace: isOpen && !isRunning && status !== 'loading' && status !== 'awaiting_input',
    isWaiting: isOpen && isRunning,
    canFork: canWrite && !isRunning && status !== 'loading',
    lastId: messages.at(-1)?.id,
    lastUserId: messages.findLast((item) => item.type === 'message' && item.role === 'user')?.id,
    variantsOf: variants,
    errorText,
  });
}

const errorText = (error: unknown) => (error as RequestError).message;

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

/** @throws {RequestError} */
async function required<Data>(result: Promise<MutationResult<Data>>) {
  const { data, error } = await result;
  if (error) throw error;
  return data;
}

function useService(id: string, timeline: RefObject<HTMLElement | null>): BranchService {
  const go = useGo();
  const [regenerate, edit] = [useSend(REGENERATE_TURN), useSend(EDIT_MESSAGE)];
  const [select, fork] = [useSend(SELECT_VARIANT), useSend(FORK_CONVERSATION)];
  // The service has accepted the turn, so the focused button is about to disappear.
  const focusConversation = () => timeline.current?.focus();
  return {
    edit: (messageId, content, acknowledgeEffects) =>
      required(edit({ id, messageId, content: content.map(partInput), acknowledgeEffects })).then(focusConversation),
    regenerate: (acknowledgeEffects) => required(regenerate({ id, acknowledgeEffects })).then(focusConversation),
    async select(messageId, acknowledgeEffects) {
      const { isFork, conversation } = await required(select({ id, messageId, acknowledgeEffects }));
      return isFork ? (conversation?.conversationId ?? null) : null;
    },
    async fork(itemId) {
      const { conversation } = await required(fork({ id, itemId }));
      return conversation?.conversationId ?? id;
    },
    effectsOf(error) {
      const { returned } = error as RequestError;
      if (returned?.__typename !== 'TurnHasEffects') return undefined;
      const { effectCount, effects } = returned as EffectsError;
      return {
        count: effectCount,
        effects: effects.map((effect) => ({ ...effect, status: enumValueOf(effect.status) })),
      };
    },
    openFork(conversationId, why) {
      if (why === 'select') notify(texts().branches.inFork);
      go(`/conversations/${conversationId}`);
    },
    focusConversation,
  };
}

/** The document selects these fields of the error. */
type EffectsError = Extract<
  ResultOf<typeof REGENERATE_TURN>['regenerateTurn'],
  { readonly __typename: 'TurnHasEffects' }
>;
