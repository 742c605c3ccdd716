import { EXAMPLE_IDS, EXAMPLE_TIMES } from './openapi-example-ids.ts';

const { created, updated, expires } = EXAMPLE_TIMES;
export const USER = { id: EXAMPLE_IDS.user, email: 'ada@example.com', name: 'Ada Lovelace' };
export const WORKSPACE = { id: EXAMPLE_IDS.workspace, name: 'Example' };
export const QUESTION = { type: 'text', text: 'Where is my order?' };
export const ANSWER = 'Your order is on its way.';
export const ENVELOPE = { total: 1, page: 1, page_size: 20, has_more: false };

export const REPLY = {
  completed_at: null,
  name: 'Where is my order?',
  content: ANSWER,
  model: 'openai:gpt-5-mini',
  input_tokens: 212,
  output_tokens: 9,
  response_time: 1.24,
  request_id: EXAMPLE_IDS.request,
};

export const TURN = {
  conversation_id: EXAMPLE_IDS.chatConversation,
  status: 'active',
  ...REPLY,
  created_at: created,
  updated_at: updated,
};

const { completed_at: _completed, name: _name, ...ONE_SHOT_REPLY } = REPLY;
export const ONE_SHOT = { ...ONE_SHOT_REPLY, workflow_log_id: EXAMPLE_IDS.workflowLog };

export const RUN = { run_id: EXAMPLE_IDS.run, run_status: 'completed' };
export const AGENT_TURN = { conversation_id: EXAMPLE_IDS.agentConversation, conversation_status: 'active' };
export const PENDING = { call_id: EXAMPLE_IDS.call, name: 'lookup_customer', arguments: { email: 'ada@example.com' } };
export const PROGRESS = {
  type: 'client_action_required',
  call_id: EXAMPLE_IDS.call,
  name: 'lookup_customer',
  summary: 'lookup_customer waits for its result.',
};
/** A conversation without agent turns. */
export const NO_RUN = { completed_at: null, run_id: null, run_status: null, pending_client_actions: [] };

const CONVERSATION = {
  id: EXAMPLE_IDS.chatConversation,
  conversation_id: EXAMPLE_IDS.chatConversation,
  deployment_id: EXAMPLE_IDS.chat,
  name: 'Where is my order?',
  meta: { ticket: 4711, source: 'mail', urgent: true },
  message_count: 2,
  created_at: created,
  updated_at: updated,
  status: 'active',
  ...NO_RUN,
  tool_summary: [],
  progress: [],
};

export const HISTORY = [
  { id: 'item_0000000000000101', type: 'message', created_at: created, role: 'user', content: [QUESTION] },
  {
    id: 'item_0000000000000102',
    type: 'client_tool',
    created_at: created,
    name: 'lookup_customer',
    call_id: EXAMPLE_IDS.call,
    status: 'completed',
    summary: 'lookup_customer is done.',
    arguments: PENDING.arguments,
    output: { customer: { id: 'c1', name: 'Ada' } },
  },
  {
    id: 'item_0000000000000103',
    type: 'message',
    created_at: updated,
    role: 'assistant',
    content: [{ type: 'text', text: ANSWER }],
  },
];

export const RESOURCE = {
  id: EXAMPLE_IDS.resource,
  type: 'contact',
  fields: { name: 'Ada Lovelace', tags: ['vip'] },
  created_at: created,
  updated_at: created,
};

export const EVENT = {
  id: EXAMPLE_IDS.event,
  type: 'resource.created',
  resource_id: EXAMPLE_IDS.resource,
  payload: { type: 'contact', fields: { name: 'Ada Lovelace', tags: ['vip'] } },
  occurred_at: created,
};

export const TRIGGER = {
  id: EXAMPLE_IDS.trigger,
  deployment_id: EXAMPLE_IDS.chat,
  workflow_id: EXAMPLE_IDS.workflow,
  ui_surface: 'chat',
  content: [QUESTION],
  variables: { NAME: 'Ada' },
  conversation_id: null,
  workflow_log_id: null,
  created_at: created,
  expires_at: expires,
  expired: false,
};

export const CURSOR_PAGE = { nextCursor: 'eyJsIjoiZXhhbXBsZSJ9', hasMore: true };
export const CONVERSATIONS = { items: [CONVERSATION], ...ENVELOPE };
