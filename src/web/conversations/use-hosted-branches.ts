import type { RefObject } from 'react';
import type { BranchMethods, ParleyError, ReplaceOptions } from '../../sdk/index.ts';
import type { Branches } from '../branches/branch-context.ts';
import { type BranchService, type Replacing, useReplacing } from '../branches/use-replacing.ts';
import { type ForkReason, noteFork } from '../hosted/fork-note.tsx';
import { errorText } from '../messages/error-text.ts';
import type { SavedConversations } from './saved-conversations.ts';

interface Options {
  /** The controller of the open conversation. */
  readonly methods: BranchMethods<ReplaceOptions, unknown>;
  readonly saved: SavedConversations;
  /** Shows a conversation. */
  readonly onOpen: (conversationId: string) => void;
  /** The composer, which gets the focus when a focused button disappears with its message. */
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** Whether the page shows this error of a turn anyway. */
  readonly isShown: (error: ParleyError) => boolean;
}

/** What the user of a hosted page can do with the messages. */
export function useHostedBranches(
  { methods, saved, onOpen, field, isShown }: Options,
  view: Omit<Parameters<typeof useReplacing>[1], 'errorText'>,
): Replacing {
  const forked = ({ conversationId, name }: { readonly conversationId: string; readonly name: string }) => {
    saved.put(conversationId, name);
    return conversationId;
  };
  const unlessShown = (error: ParleyError) => {
    if (!isShown(error)) throw error;
  };
  const service: BranchService = {
    edit: (id, content, acknowledgeEffects) => methods.edit(id, content, { acknowledgeEffects }).catch(unlessShown),
    regenerate: (messageId, acknowledgeEffects) =>
      methods.regenerate({ messageId, acknowledgeEffects }).catch(unlessShown),
    async select(id, acknowledgeEffects) {
      const selected = await methods.selectVariant(id, { acknowledgeEffects });
      return selected.isFork ? forked(selected) : null;
    },
    fork: (id) => methods.fork(id).then(forked),
    effectsOf(error) {
      const { code, effects = [], details } = error as ParleyError;
      if (code !== 'turn_has_effects') return undefined;
      return { effects, count: typeof details.effect_count === 'number' ? details.effect_count : effects.length };
    },
    openFork(conversationId: string, reason: ForkReason) {
      noteFork(conversationId, reason);
      onOpen(conversationId);
    },
    // On touch screens the keyboard would cover the reply.
    focusConversation: () => matchMedia('(pointer: fine)').matches && field.current?.focus(),
  };
  return useReplacing(service, { ...view, errorText: textOfError });
}

const textOfError: Branches['errorText'] = (error) => errorText(error as ParleyError);
