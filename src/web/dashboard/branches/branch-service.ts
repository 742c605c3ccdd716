import type { ResultOf } from 'gql.tada';
import { enumValueOf } from '../../../contract/enum-names.ts';
import type { BranchService } from '../../branches/use-replacing.ts';
import { texts } from '../../texts/current.ts';
import { notify } from '../../ui/toast.ts';
import { useGo } from '../location.ts';
import type { RequestError } from '../request-error.ts';
import { type MutationResult, useSend } from '../requests.ts';
import { partInput } from './content-input.ts';
import { EDIT_MESSAGE, FORK_CONVERSATION, REGENERATE_TURN, SELECT_VARIANT } from './documents.ts';

export const errorText = (error: unknown): string => (error as RequestError).message;

/** @throws {RequestError} */
async function required<Data>(result: Promise<MutationResult<Data>>) {
  const { data, error } = await result;
  if (error) throw error;
  return data;
}

/** The operations on a conversation as GraphQL mutations. `onAccepted` moves the focus when a turn was accepted. */
export function useBranchService(id: string, onAccepted: () => void): BranchService {
  const go = useGo();
  const [regenerate, edit] = [useSend(REGENERATE_TURN), useSend(EDIT_MESSAGE)];
  const [select, fork] = [useSend(SELECT_VARIANT), useSend(FORK_CONVERSATION)];
  return {
    edit: (messageId, content, acknowledgeEffects) =>
      required(edit({ id, messageId, content: content.map(partInput), acknowledgeEffects })).then(onAccepted),
    regenerate: (messageId, acknowledgeEffects) =>
      required(regenerate({ id, messageId, acknowledgeEffects })).then(onAccepted),
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
    focusConversation: onAccepted,
  };
}

/** The document selects these fields of the error. */
type EffectsError = Extract<
  ResultOf<typeof REGENERATE_TURN>['regenerateTurn'],
  { readonly __typename: 'TurnHasEffects' }
>;
