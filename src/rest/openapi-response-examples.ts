import { SCOPES_OF_ROLE } from '../contract/roles.ts';
import type { HandlingMode } from '../contract/statuses.ts';
import { EXAMPLE_IDS, EXAMPLE_TIMES } from './openapi-example-ids.ts';
import {
  AGENT_TURN,
  ANSWER,
  BUDGET,
  CONVERSATION,
  CONVERSATIONS,
  CURSOR_PAGE,
  DEPLOYMENT,
  ENVELOPE,
  EVENT,
  FILE,
  FOLLOW_CURSOR,
  HISTORY,
  NO_RUN,
  ONE_SHOT,
  PENDING,
  PROGRESS,
  QUESTION,
  REPLY,
  RESOURCE,
  RUN,
  RUN_TRACE,
  TRIGGER,
  TURN,
  UPLOAD,
  USAGE,
  USER,
  WAITING_CALL,
  WORKSPACE,
} from './openapi-example-objects.ts';
import type { Route } from './route.ts';

/** Example bodies of an operation's response, by name. */
type Examples = Readonly<Record<string, object>>;

const { created, updated, expires } = EXAMPLE_TIMES;

const AGENT_TURNS: Examples = {
  finished: {
    ...RUN,
    ...AGENT_TURN,
    ...REPLY,
    client_tool_calls: [],
    progress: [],
    created_at: created,
    updated_at: updated,
  },
  paused: {
    run_id: EXAMPLE_IDS.run,
    run_status: 'waiting_for_client_action',
    ...AGENT_TURN,
    completed_at: null,
    name: 'Where is my order?',
    client_tool_calls: [PENDING],
    progress: [PROGRESS],
  },
};

const ANNA = { display_name: 'Anna', kind: 'member' };

function handled(mode: HandlingMode, conversationId: string): object {
  const isHeld = mode === 'member';
  return {
    conversation_id: conversationId,
    handling: {
      mode,
      ...(isHeld && { author: ANNA }),
      is_mine: isHeld,
      since: updated,
      until: isHeld ? expires : null,
      reason: isHeld ? 'Wants a refund for a broken lamp.' : null,
      urgency: isHeld ? 'high' : null,
    },
  };
}

const EXAMPLES: Readonly<Record<string, Examples>> = {
  SendMessage: { reply: TURN },
  RunAgentTurn: AGENT_TURNS,
  RegenerateTurn: AGENT_TURNS,
  EditMessage: AGENT_TURNS,
  SelectVariant: {
    selected: { conversation_id: EXAMPLE_IDS.agentConversation, name: 'Where is my order?', is_fork: false },
  },
  ForkConversation: {
    fork: {
      conversation_id: EXAMPLE_IDS.chatConversation,
      deployment_id: EXAMPLE_IDS.agent,
      name: 'Where is my order?',
      meta: { copy: true },
      message_count: 2,
      created_at: updated,
    },
  },
  ReadHistory: {
    page: {
      items: HISTORY,
      handling: { mode: 'assistant', since: null },
      next_cursor: null,
      ...AGENT_TURN,
      ...NO_RUN,
      ...RUN,
      ...FOLLOW_CURSOR,
    },
  },
  ReadMessages: {
    page: {
      items: [
        { id: EXAMPLE_IDS.reply - 1, role: 'user', content: [QUESTION], created_at: created },
        { id: EXAMPLE_IDS.reply, role: 'assistant', content: [{ type: 'text', text: ANSWER }], created_at: updated },
      ],
      ...ENVELOPE,
      total: 2,
      conversation_status: 'active',
      ...NO_RUN,
      tool_summary: [],
      progress: [],
    },
  },
  RenameConversation: {
    renamed: { conversation_id: EXAMPLE_IDS.chatConversation, name: 'Blue shoes', meta: { shop: 'north' } },
  },
  StopTurn: {
    stopped: { conversation_id: EXAMPLE_IDS.chatConversation, run_id: EXAMPLE_IDS.run, run_status: 'interrupted' },
  },
  TakeOver: { taken: handled('member', EXAMPLE_IDS.handledConversation) },
  SendAsMember: {
    sent: {
      id: EXAMPLE_IDS.reply,
      role: 'assistant',
      content: [{ type: 'text', text: 'I have sent you a new one.' }],
      author: ANNA,
      created_at: updated,
    },
  },
  HandBack: { returned: handled('assistant', EXAMPLE_IDS.chatConversation) },
  RateMessage: {
    rated: {
      id: EXAMPLE_IDS.reply,
      role: 'assistant',
      rating: { value: 'up', comment: 'Clear and short.', rated_at: updated },
      created_at: updated,
    },
  },
  SearchConversations: { page: { data: [{ ...CONVERSATION, usage: USAGE }], meta: CURSOR_PAGE } },
  TotalConversations: { totals: { conversations: 1, usage: USAGE } },
  ListDeploymentConversations: { page: CONVERSATIONS },
  ListConversations: { page: CONVERSATIONS },
  ListEvents: { page: { data: [EVENT], meta: CURSOR_PAGE } },
  ReadEvent: { event: { data: EVENT } },
  ReadRunTrace: { trace: RUN_TRACE },
  ReadMe: {
    member: {
      data: {
        user: USER,
        workspace: WORKSPACE,
        role: 'viewer',
        environment: 'live',
        scopes: SCOPES_OF_ROLE.viewer,
        expires_at: expires,
      },
    },
  },
  RunOnce: { reply: ONE_SHOT },
  RunOnceV2: { reply: ONE_SHOT },
  ListBudgets: { page: { data: [BUDGET], meta: CURSOR_PAGE } },
  SetBudget: { budget: BUDGET },
  ReadBudget: { budget: BUDGET },
  ListDeployments: { page: { data: [DEPLOYMENT], meta: CURSOR_PAGE } },
  ListPendingActions: { page: { data: [WAITING_CALL], meta: CURSOR_PAGE } },
  ListResources: { page: { data: [RESOURCE], meta: CURSOR_PAGE } },
  CreateResource: { resource: { data: RESOURCE } },
  ReadResource: { resource: { data: RESOURCE } },
  UpdateResource: {
    resource: {
      data: { ...RESOURCE, fields: { name: 'Augusta Ada Lovelace', tags: ['vip'] }, updated_at: updated },
    },
  },
  SignIn: {
    session: {
      data: { token: `sess_${'0'.repeat(43)}`, expires_at: expires, user: USER, workspace: WORKSPACE, role: 'viewer' },
    },
  },
  CompleteSignIn: {
    session: {
      data: { token: `sess_${'0'.repeat(43)}`, expires_at: expires, user: USER, workspace: WORKSPACE, role: 'viewer' },
    },
  },
  RequestPasswordReset: { request: { data: { minutes: 60 } } },
  ResetPassword: { reset: { data: { email: 'ada@example.com' } } },
  CreateUpload: { upload: UPLOAD },
  CompleteUpload: { file: FILE },
  ReadFile: { file: FILE },
  CreateEndUserToken: {
    token: {
      data: {
        token: `eut_live_${'0'.repeat(43)}`,
        end_user: 'ada',
        deployment_id: EXAMPLE_IDS.chat,
        expires_at: expires,
      },
    },
  },
  RevokeEndUserTokens: { revoked: { data: { tokens: 2 } } },
  EraseEndUser: { erased: { data: { tokens: 1, conversations: 12, is_complete: true } } },
  CreateTrigger: { trigger: TRIGGER },
  ReadTrigger: { trigger: TRIGGER },
  ListTriggers: { page: { items: [TRIGGER], ...ENVELOPE } },
  SetTriggerRequired: { settings: { workflow_id: EXAMPLE_IDS.workflow, trigger_required: false } },
  ReadWidgetMeta: {
    deployment: {
      deployment_id: EXAMPLE_IDS.chat,
      name: 'Support',
      trigger_required: false,
      auth_required: false,
      kind: 'chat',
      chat_url: `https://parley.example.com/chat/${EXAMPLE_IDS.chat}`,
      agent_url: `https://parley.example.com/agent/${EXAMPLE_IDS.chat}`,
    },
  },
};

/** The example bodies of an operation's response. */
export function responseExamples({ name }: Route): { readonly examples?: object } {
  const examples = EXAMPLES[name];
  if (!examples) return {};
  return {
    examples: Object.fromEntries(
      Object.entries(examples).map(([key, value]) => [key, { summary: key[0]?.toUpperCase() + key.slice(1), value }]),
    ),
  };
}

/** The example body of a turn that runs in the background. */
export function acceptedExample(): { readonly example: object } {
  return {
    example: {
      conversation_id: EXAMPLE_IDS.agentConversation,
      run_id: EXAMPLE_IDS.run,
      run_status: 'running',
      ...FOLLOW_CURSOR,
    },
  };
}
