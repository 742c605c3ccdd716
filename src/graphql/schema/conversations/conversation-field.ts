import { findConversation } from '../../../domain/conversations/reads.ts';
import type { PayloadBuilder } from '../mutation.ts';
import { Conversation } from './conversations.ts';

/** The field `conversation` of a mutation's payload: the conversation that the mutation is about, as it is now. */
export const conversationField =
  (description: string) =>
  <Result extends { readonly conversationId: string }>(t: PayloadBuilder<Result>) => ({
    conversation: t.prismaField({
      type: Conversation,
      description,
      resolve: (query, { conversationId }, _args, { domain }) => findConversation(domain, { conversationId }, query),
    }),
  });
