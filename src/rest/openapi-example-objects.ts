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
  finish_reason: 'stop',
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
/** A cursor is opaque. */
export const FOLLOW_CURSOR = { follow_cursor: 'kJzaM0n11j1R6BHDWyIxNSIsIiIsIjEiLCIwIiwiMCIsIjAiLCIwIl0' };
export const AGENT_TURN = { conversation_id: EXAMPLE_IDS.agentConversation, conversation_status: 'active' };
export const PENDING = { call_id: EXAMPLE_IDS.call, name: 'lookup_customer', arguments: { email: 'ada@example.com' } };
export const WAITING_CALL = {
  ...PENDING,
  waiting_since: created,
  approver: null,
  answerable_by: ['client', 'member'],
  conversation_id: EXAMPLE_IDS.agentConversation,
  deployment_id: EXAMPLE_IDS.agent,
  run_id: EXAMPLE_IDS.run,
};
export const RUN_TRACE = {
  run_id: EXAMPLE_IDS.run,
  deployment_id: EXAMPLE_IDS.agent,
  workflow_id: EXAMPLE_IDS.workflow,
  workflow_version: 2,
  request_id: '0b0b4a8e-6a0d-4d55-9d3c-1f6f7f1d2a11',
  kept_until: '2026-03-02T09:30:01.250Z',
  spans: {
    data: [
      {
        id: '0194b1a2-1c1f-7c65-9d5e-2f0b6f2a9c01',
        step: 1,
        started_at: created,
        duration_ms: 940,
        request_id: '0b0b4a8e-6a0d-4d55-9d3c-1f6f7f1d2a11',
        is_truncated: false,
        model: 'openai:gpt-x',
        attempts: 2,
        input_tokens: 412,
        output_tokens: 18,
        cost: '0.000522',
        finish_reason: null,
        failure_reason: null,
        error: null,
        failed_attempts: [
          { message: 'The model provider is limiting requests (429).', status: 429, body: '{"error":"slow down"}' },
        ],
        prompt: {
          instructions: 'Help customers with their orders.',
          messages: [{ role: 'user', content: [{ type: 'text', text: 'Where is my order?' }] }],
          messages_left_out: 0,
          tools: ['find_resources'],
        },
        answer: { text: '', calls: [{ name: 'find_resources', arguments: { type: 'order' } }] },
      },
      {
        id: '0194b1a2-1fcb-7d02-8a44-6c1d0e7b3f52',
        step: 1,
        started_at: created,
        duration_ms: 12,
        request_id: '0b0b4a8e-6a0d-4d55-9d3c-1f6f7f1d2a11',
        is_truncated: false,
        tool: 'find_resources',
        call_id: EXAMPLE_IDS.call,
        call_status: 'completed',
        arguments: { type: 'order' },
        result: { content: { resources: [], next_cursor: null } },
      },
    ],
    meta: { nextCursor: null, hasMore: false },
  },
};
export const PROGRESS = {
  type: 'client_action_required',
  call_id: EXAMPLE_IDS.call,
  name: 'lookup_customer',
  summary: 'lookup_customer waits for its result.',
};
/** A conversation without agent turns. */
export const NO_RUN = { completed_at: null, run_id: null, run_status: null, pending_client_actions: [] };

export const USAGE = {
  turns: 1,
  failures: 0,
  input_tokens: REPLY.input_tokens,
  output_tokens: REPLY.output_tokens,
  response_time_ms: 1240,
  cost: '0.000071',
};

export const CONVERSATION = {
  id: EXAMPLE_IDS.chatConversation,
  conversation_id: EXAMPLE_IDS.chatConversation,
  deployment_id: EXAMPLE_IDS.chat,
  end_user: null,
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

export const DEPLOYMENT = {
  id: EXAMPLE_IDS.agent,
  name: 'Support agent',
  kind: 'agent',
  published_version: 3,
  auth_required: true,
  created_at: EXAMPLE_TIMES.created,
  updated_at: EXAMPLE_TIMES.updated,
};

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
export const CONVERSATIONS = { items: [CONVERSATION], ...ENVELOPE, as_of: null };

const SIGNED = `https://parley.example.com/v1/files/${EXAMPLE_IDS.file}/content?signature=AQ`;

export const FILE = {
  id: EXAMPLE_IDS.file,
  name: 'receipt.png',
  mime_type: 'image/png',
  size_bytes: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  url: SIGNED,
  url_expires_at: EXAMPLE_TIMES.expires,
  created_at: EXAMPLE_TIMES.created,
};

export const UPLOAD = {
  upload: {
    id: EXAMPLE_IDS.file,
    method: 'PUT',
    url: `https://parley.example.com/v1/uploads/${EXAMPLE_IDS.file}?signature=AQ`,
    headers: { 'Content-Type': 'image/png' },
    resumable: true,
    expires_at: EXAMPLE_TIMES.expires,
  },
  file_uri: `parley:${EXAMPLE_IDS.file}`,
};

export const BUDGET = {
  id: EXAMPLE_IDS.budget,
  place: 'deployment',
  deployment_id: EXAMPLE_IDS.chat,
  conversation_id: null,
  run_id: null,
  end_user: null,
  is_default: false,
  period: 'month',
  amount: '50',
  tokens: null,
  warn_at: 0.8,
  on_reached: 'refuse',
  expires_after_seconds: null,
  on_expiry: null,
  raised: { amount: '0', tokens: null },
  spent: { amount: '12.345678', tokens: null },
  reserved: { amount: '0.004', tokens: null },
  remaining: { amount: '37.650322', tokens: null },
  period_starts_at: '2026-01-01T00:00:00.000Z',
  period_ends_at: '2026-02-01T00:00:00.000Z',
  warned_at: null,
  reached_at: null,
  created_at: created,
  updated_at: updated,
};
