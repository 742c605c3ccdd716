import { LIMITS } from '../../../contract/limits.ts';
import { formatCount } from '../../../contract/quantities.ts';
import { suggestReply } from '../../../domain/agent/handling/suggest-reply.ts';
import { SUGGEST_REPLY } from '../../../shapes/conversations.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';
import { MODEL_ERRORS } from './model-failed.ts';

mutation('suggestReply', {
  publishing: 'never',
  access: { scope: 'conversations:handle', bound: 'addressed' },
  description:
    'Lets the model suggest what the person could answer next. Nothing is sent, and only the usage is stored. The model cannot call tools. The conversation must wait for a person, or a person must have it. If the client disconnects, the model is stopped. Scope: conversations:handle.',
  input: inputType(SUGGEST_REPLY),
  errors: ['not_found', 'conversation_completed', 'run_in_progress', 'handling_conflict', ...MODEL_ERRORS],
  resolve: async ({ conversationId }, { domain, closed }) => ({
    text: await suggestReply(domain, conversationId, closed),
  }),
  payload: (t) => ({
    text: t.exposeString('text', {
      description: `The suggestion: at most ${formatCount(LIMITS.suggestedReplyLength)} characters.`,
    }),
  }),
});
