import { EXAMPLE_IDS } from './openapi-example-ids.ts';
import type { Route } from './route.ts';

/** An example request in the document. A test sends it unchanged. */
interface Example {
  readonly summary: string;
  readonly value: object;
}

const PARAMETERS: Readonly<Record<string, string | number>> = {
  budget_id: EXAMPLE_IDS.budget,
  conversation_id: EXAMPLE_IDS.chatConversation,
  deployment_id: EXAMPLE_IDS.chat,
  file_id: EXAMPLE_IDS.file,
  message_id: String(EXAMPLE_IDS.reply),
  run_id: EXAMPLE_IDS.run,
  trigger_id: EXAMPLE_IDS.trigger,
  workflow_id: EXAMPLE_IDS.workflow,
};

/** Example IDs for operations that need another kind of ID. */
const PARAMETERS_OF_OPERATION: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  EditMessage: { message_id: String(EXAMPLE_IDS.reply - 1) },
  SelectVariant: { message_id: String(EXAMPLE_IDS.reply - 1) },
  DeleteDeployment: { deployment_id: EXAMPLE_IDS.unusedDeployment },
  DeleteTrigger: { trigger_id: EXAMPLE_IDS.unusedTrigger },
  DeleteWorkflow: { workflow_id: EXAMPLE_IDS.unusedWorkflow },
  ReadEvent: { id: EXAMPLE_IDS.event },
  TakeOver: { conversation_id: EXAMPLE_IDS.handledConversation },
  SendAsMember: { conversation_id: EXAMPLE_IDS.handledConversation },
  ReadHistory: { deployment_id: EXAMPLE_IDS.agent, conversation_id: EXAMPLE_IDS.agentConversation },
  RunAgentTurn: { deployment_id: EXAMPLE_IDS.agent },
  RunOnceV2: { deployment_id: EXAMPLE_IDS.agent },
};

const text = (words: string) => [{ type: 'text', text: words }];

const FILE = { type: 'image', mime_type: 'image/png', file_uri: 'https://example.com/receipt.png' };

const MESSAGES: readonly Example[] = [
  {
    summary: 'Start a conversation',
    value: {
      content: text('Where is my order?'),
      variables: { NAME: 'Ada' },
      meta: { ticket: 4711, source: 'mail', urgent: true },
    },
  },
  {
    summary: 'Continue it',
    value: { conversation_id: EXAMPLE_IDS.chatConversation, content: text('And the other one?'), history_limit: 10 },
  },
  { summary: 'With a file', value: { content: [...text('What is this?'), FILE] } },
  { summary: 'From a trigger', value: { trigger_id: EXAMPLE_IDS.trigger } },
];

const ONE_SHOTS: readonly Example[] = [
  { summary: 'A message', value: { content: text('Say hello to {{NAME}}.'), variables: { NAME: 'Ada' } } },
];

const AGENT_TURNS: readonly Example[] = [
  {
    summary: 'Start, with client tools',
    value: {
      content: text('Where is my order?'),
      client_capabilities: [
        'ask_user',
        {
          name: 'lookup_customer',
          input_schema: { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] },
        },
      ],
    },
  },
  {
    summary: 'Resume, with the result of the pending call',
    value: {
      conversation_id: EXAMPLE_IDS.agentConversation,
      tool_results: [{ call_id: EXAMPLE_IDS.call, output: { customer: { id: 'c1', name: 'Ada' } } }],
    },
  },
  {
    summary: 'Continue',
    value: { conversation_id: EXAMPLE_IDS.agentConversation, content: text('Thank you.') },
  },
];

const BODIES: Readonly<Record<string, readonly Example[]>> = {
  CreateUpload: [
    {
      summary: 'A photo for a deployment',
      value: { deployment_id: EXAMPLE_IDS.chat, name: 'receipt.png', mime_type: 'image/png', size_bytes: 48_213 },
    },
  ],
  CompleteUpload: [{ summary: 'Without credentials', value: { deployment_id: EXAMPLE_IDS.chat } }],
  CreateResource: [
    { summary: 'A contact', value: { type: 'contact', fields: { name: 'Ada Lovelace', tags: ['vip'] } } },
  ],
  CreateEndUserToken: [
    { summary: 'For ten minutes', value: { end_user: 'ada', ttl_seconds: 600 } },
    { summary: 'To read only', value: { end_user: 'ada', ttl_seconds: 600, scopes: ['conversations:read'] } },
  ],
  RevokeEndUserTokens: [{ summary: 'Sign a user out', value: { end_user: 'ada' } }],
  EraseEndUser: [{ summary: 'Erase a user', value: { end_user: 'ada' } }],
  CreateTrigger: [
    {
      summary: 'Expires after two days',
      value: {
        content: text('Where is my order?'),
        variables: { NAME: 'Ada', score: 7 },
        ui_surface: 'chat',
        ttl_hours: 48,
      },
    },
    { summary: 'Without an expiry', value: { content: text('Where is my order?'), ttl_hours: null } },
  ],
  StopTurn: [
    { summary: 'Stop the active turn', value: {} },
    { summary: 'Only this turn', value: { run_id: EXAMPLE_IDS.run } },
  ],
  RegenerateTurn: [
    { summary: 'Run the last turn again', value: {} },
    { summary: 'Although its actions changed something', value: { acknowledge_effects: true } },
  ],
  EditMessage: [{ summary: 'Another question', value: { content: text('Where is my other order?') } }],
  SelectVariant: [{ summary: 'Go back to it', value: {} }],
  ForkConversation: [
    { summary: 'Everything', value: {} },
    {
      summary: 'Up to an item, with other labels',
      value: { item_id: String(EXAMPLE_IDS.reply - 1), meta: { copy: true } },
    },
  ],
  TakeOver: [
    { summary: 'Take it over from the assistant', value: { display_name: 'Anna' } },
    { summary: 'Keep it for an hour', value: { display_name: 'Anna', hold_minutes: 60 } },
    { summary: 'Take it from another person', value: { force: true } },
  ],
  SendAsMember: [{ summary: 'Answer the user', value: { content: text('I have sent you a new one.') } }],
  HandBack: [
    {
      summary: 'Let the assistant continue',
      value: { summary: 'The order is on its way again.', instructions: 'Offer a voucher.' },
    },
    { summary: 'Without an answer now', value: { answer: false } },
  ],
  RateMessage: [
    { summary: 'Rate a reply', value: { rating: 'up', comment: 'Clear and short.' } },
    { summary: 'Remove the rating', value: { rating: null } },
  ],
  RunAgentTurn: AGENT_TURNS,
  RunOnce: ONE_SHOTS,
  RunOnceV2: ONE_SHOTS,
  SendMessage: MESSAGES,
  SetTriggerRequired: [{ summary: 'Allow messages without a trigger', value: { trigger_required: false } }],
  SetBudget: [
    {
      summary: 'In money for a deployment',
      value: { deployment_id: EXAMPLE_IDS.chat, period: 'month', amount: '50' },
    },
    {
      summary: 'In tokens for a user',
      value: { end_user: 'ada', period: 'day', tokens: 1_000_000, warn_at: 0.8, on_reached: 'stop' },
    },
  ],
  SignIn: [{ summary: 'As a member', value: { email: 'ada@example.com', password: 'a long and secret sentence' } }],
  CompleteSignIn: [
    {
      summary: 'With a recovery code',
      value: { ticket: `ticket_${'0'.repeat(43)}`, recovery_code: 'abcde-fghjk-mnpqr-stuvw' },
    },
  ],
  RequestPasswordReset: [{ summary: 'Ask for a link', value: { email: 'ada@example.com' } }],
  ResetPassword: [
    {
      summary: 'Set a password',
      value: { token: `reset_${'0'.repeat(43)}`, password: 'a long and secret sentence' },
    },
  ],
  StreamOnce: ONE_SHOTS,
  StreamReply: MESSAGES.slice(0, 2),
  RenameConversation: [
    { summary: 'Give another name', value: { name: 'Blue shoes' } },
    { summary: 'Set a label and remove another one', value: { meta: { shop: 'north', tier: null } } },
  ],
  UpdateResource: [{ summary: 'Change one field', value: { fields: { name: 'Augusta Ada Lovelace' } } }],
};

/** An example value of a path parameter. */
export function exampleOf({ name: operation }: Route, parameter: string): { readonly example?: string | number } {
  const example = PARAMETERS_OF_OPERATION[operation]?.[parameter] ?? PARAMETERS[parameter] ?? EXAMPLE_IDS.resource;
  return { example };
}

/** The example bodies of an operation, by name. */
export function bodyExamples({ name }: Route): { readonly examples?: Readonly<Record<string, Example>> } {
  const examples = BODIES[name];
  if (!examples) return {};
  return { examples: Object.fromEntries(examples.map((example) => [nameOf(example), example])) };
}

/** `From a trigger` → `from-a-trigger`. */
function nameOf({ summary }: Example): string {
  return summary.toLowerCase().replace(/[^a-z]+/g, '-');
}
