import { contentParts } from './content.ts';
import { input, required, said } from './field.ts';
import { conversationId as givenConversationId } from './ids.ts';
import { flag, id, integer } from './kinds.ts';
import { meta } from './meta.ts';
import { background, clientCapabilities, historyLimit, prefer } from './turns.ts';

const acknowledgeEffects = flag(
  {
    says: 'True: replace the turns although their actions have changed something outside of Parley',
    note: 'Without it the error `turn_has_effects` lists these actions. Nothing is undone. The model of the new turn gets the list.',
  },
  false,
);

const turn = {
  acknowledgeEffects,
  clientCapabilities: clientCapabilities('Connected client tools', 'Default: the client tools of the replaced turn.'),
  historyLimit: historyLimit('workflow'),
  background,
  prefer,
};

const conversationId = said({ says: 'The conversation' }, givenConversationId);

export const REGENERATE_TURN = input('RegenerateTurnInput', 'The conversation whose last turn runs again.', {
  conversationId,
  messageId: id(
    'Message',
    {
      says: 'The message of the user, or the reply, whose turn runs again: its number, or the `itemId` of the history',
      form: 'Default: the last one.',
      note: 'Send it so that nothing runs again if another client has sent a message meanwhile.',
    },
    'ID',
  ),
  ...turn,
});

export const STOP_TURN = input('StopTurnInput', 'The conversation whose turn is stopped.', {
  conversationId: givenConversationId,
  runId: id('Run', {
    says: 'The only turn that is stopped',
    form: 'Default: the one that is running or waiting.',
    note: 'Send it so that a later turn never stops. If another turn has started, nothing changes.',
  }),
});

export const EDIT_MESSAGE = input('EditMessageInput', 'A message of the user and its new content.', {
  conversationId,
  messageId: required(id('Message', 'The ID of the message: its number, or the `itemId` of the history', 'ID')),
  content: required(contentParts('The new message')),
  ...turn,
});

export const SELECT_VARIANT = input('SelectVariantInput', 'The variant that becomes active.', {
  conversationId,
  messageId: required(id('Message', 'The ID of the variant: its number, or the `itemId` of the history', 'ID')),
  acknowledgeEffects,
});

export const FORK_CONVERSATION = input('ForkConversationInput', 'The conversation to copy, and how far.', {
  conversationId,
  itemId: id(
    'Node',
    { says: 'The last item that is copied: its number, or its `itemId`', form: 'Default: the last one.' },
    'String',
  ),
  deploymentId: id('Deployment', { says: 'The published deployment of the fork', form: 'Default: the same one.' }),
  workflowVersion: integer({
    says: 'The version of the workflow that the turns of the fork run',
    note: 'Default: that of the source, in another deployment the published one. Scope: workflows:write.',
  }),
  meta: said({ note: 'Default: the labels of the source.' }, meta),
});
