import { stopTurn } from '../../../domain/agent/settle/stop-turn.ts';
import { runnerAccess } from '../../../operation/access.ts';
import { STOP_TURN } from '../../../shapes/branches.ts';
import { conversationField } from '../conversations/conversation-field.ts';
import { mutation } from '../mutation.ts';
import { inputType } from '../shape-fields.ts';

mutation('stopTurn', {
  publishing: 'sets',
  access: runnerAccess('conversations:write'),
  description:
    'Stops the turn that is running or waiting. The model call is aborted, the partial reply is stored, open calls are cancelled, and the run becomes INTERRUPTED. Returns when the run has ended. Nothing changes if no turn is active. Scope: conversations:write.',
  input: inputType(STOP_TURN),
  errors: ['not_found'],
  resolve: async ({ conversationId, runId }, { domain }) => {
    await stopTurn(domain, conversationId, runId);
    return { conversationId };
  },
  payload: conversationField(
    'The conversation with its latest run. A run whose process died can still be RUNNING for a few seconds.',
  ),
});
