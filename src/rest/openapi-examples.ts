import type { Route } from './route.ts';

/** A request that the document shows, and that a test sends as it stands here. */
interface Example {
  readonly summary: string;
  readonly value: object;
}

/** Ids that stand for any of their kind: a deployment is one of a first start, all others are made up. */
const PARAMETERS: Readonly<Record<string, string | number>> = {
  conversation_id: '7d0e6f3c-51c4-4b8a-9f0b-2f6f0a8a1c55',
  deployment_id: '00000000-0000-4000-8000-000000000001',
  trigger_id: 'q3XbT0aZ',
  workflow_id: 1,
};

/** The same where an operation has another kind of deployment or id in mind. */
const OF_OPERATION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ReadEvent: { id: 'evt_01k9z3v8c0f6t8r5m2q7x4y1ab' },
  ReadHistory: agent('9b2f4c1e-0d3a-4f57-8c61-4a7e2d9f3b10'),
  RunAgentTurn: agent(),
  RunOnceV2: agent(),
};

const RESOURCE_ID = 'res_01k9z3v8c0f6t8r5m2q7x4y1cd';

function agent(conversationId?: string): Readonly<Record<string, string>> {
  const deployment = { deployment_id: '00000000-0000-4000-8000-000000000002' };
  return conversationId ? { ...deployment, conversation_id: conversationId } : deployment;
}

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
    value: { conversation_id: PARAMETERS.conversation_id, content: text('And the other one?'), history_limit: 10 },
  },
  { summary: 'With a file', value: { content: [...text('What is this?'), FILE] } },
  { summary: 'From a trigger', value: { trigger_id: PARAMETERS.trigger_id } },
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
      conversation_id: OF_OPERATION.ReadHistory?.conversation_id,
      tool_results: [{ call_id: 'call_4f8e2a', output: { customer: { id: 'c1', name: 'Ada' } } }],
    },
  },
  {
    summary: 'Continue',
    value: { conversation_id: OF_OPERATION.ReadHistory?.conversation_id, content: text('Thank you.') },
  },
];

const BODIES: Readonly<Record<string, readonly Example[]>> = {
  CreateResource: [
    { summary: 'A contact', value: { type: 'contact', fields: { name: 'Ada Lovelace', tags: ['vip'] } } },
  ],
  CreateTrigger: [
    {
      summary: 'For two days',
      value: {
        content: text('Where is my order?'),
        variables: { NAME: 'Ada', score: 7 },
        ui_surface: 'chat',
        ttl_hours: 48,
      },
    },
    { summary: 'For ever', value: { content: text('Where is my order?'), ttl_hours: null } },
  ],
  RunAgentTurn: AGENT_TURNS,
  RunOnce: ONE_SHOTS,
  RunOnceV2: ONE_SHOTS,
  SendMessage: MESSAGES,
  SetTriggerRequired: [{ summary: 'Take messages without a trigger', value: { trigger_required: false } }],
  StreamOnce: ONE_SHOTS,
  StreamReply: MESSAGES.slice(0, 2),
  UpdateResource: [
    { summary: 'Change one field and leave the others', value: { fields: { name: 'Augusta Ada Lovelace' } } },
  ],
};

/** What a path's parameter may be; nothing for others, which a client may leave out. */
export function exampleOf({ name: operation }: Route, parameter: string): { readonly example?: string | number } {
  const example = OF_OPERATION[operation]?.[parameter] ?? PARAMETERS[parameter] ?? RESOURCE_ID;
  return { example };
}

/** The bodies that the document shows for an operation, by name. */
export function bodyExamples({ name }: Route): { readonly examples?: Readonly<Record<string, Example>> } {
  const examples = BODIES[name];
  if (!examples) return {};
  return { examples: Object.fromEntries(examples.map((example) => [nameOf(example), example])) };
}

/** `From a trigger` → `from-a-trigger`. */
function nameOf({ summary }: Example): string {
  return summary.toLowerCase().replace(/[^a-z]+/g, '-');
}
