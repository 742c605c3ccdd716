import {
  FINISH_REASONS,
  HANDLING_CAUSES,
  HANDLING_MODES,
  type HandlingMode,
  type LifecycleEventType,
  RUN_STATUSES,
  type RunStatus,
  URGENCIES,
  type Urgency,
} from '../contract/statuses.ts';
import type { JsonSchema } from './json-schema.ts';
import { EXAMPLE_IDS } from './openapi-example-ids.ts';
import { type Message, text } from './openapi-message.ts';

const uuid = (description: string): JsonSchema => ({ type: 'string', format: 'uuid', description });

const CONVERSATION = {
  conversation_id: uuid('The ID of the conversation.'),
  deployment_id: uuid('The ID of its deployment.'),
};

const CONVERSATION_EXAMPLE = {
  conversation_id: EXAMPLE_IDS.agentConversation,
  deployment_id: EXAMPLE_IDS.agent,
};

const RUN: Message['data'] = {
  resource_id: uuid('The ID of the run.'),
  run_id: uuid('The same ID.'),
  ...CONVERSATION,
  run_status: { type: 'string', enum: RUN_STATUSES, description: 'The status of the run after the event.' },
  step: { type: 'integer', description: 'The number of model steps so far.' },
  finish_reason: {
    anyOf: [{ type: 'string', enum: FINISH_REASONS }, { type: 'null' }],
    description: 'Why the reply ended. Null: the run has no complete reply, or the provider gave no known reason.',
  },
  error_code: { type: ['string', 'null'], description: 'Why the run failed. Null: it did not fail.' },
};

function runMessage(
  summary: string,
  status: RunStatus,
  { data, example }: { readonly data?: Message['data']; readonly example?: Message['example'] } = {},
): Message {
  return {
    summary,
    data: { ...RUN, ...data },
    example: {
      resource_id: EXAMPLE_IDS.run,
      run_id: EXAMPLE_IDS.run,
      ...CONVERSATION_EXAMPLE,
      run_status: status,
      step: status === 'running' ? 0 : 1,
      finish_reason: null,
      error_code: null,
      ...example,
    },
  };
}

const BUDGET: Message = {
  summary: 'A budget warned in its period, or was reached',
  data: {
    resource_id: text('The ID of the budget.'),
    budget_id: text('The same ID.'),
    place: {
      type: 'string',
      enum: ['environment', 'deployment', 'end_user', 'visitors', 'conversation', 'run'],
      description: 'What the budget covers.',
    },
    period: { type: 'string', enum: ['total', 'day', 'month'], description: 'The period of the budget.' },
    period_ends_at: { type: ['string', 'null'], description: 'When the period ends. Null: never.' },
  },
  example: {
    resource_id: EXAMPLE_IDS.budget,
    budget_id: EXAMPLE_IDS.budget,
    place: 'environment',
    period: 'month',
    period_ends_at: '2026-02-01T00:00:00.000Z',
  },
};

function handlingMessage(summary: string, handling: HandlingMode, more: { readonly urgency?: Urgency } = {}): Message {
  return {
    summary,
    data: {
      resource_id: uuid('The ID of the conversation.'),
      ...CONVERSATION,
      handling: { type: 'string', enum: HANDLING_MODES, description: 'Who answers the user now.' },
      cause: { type: 'string', enum: HANDLING_CAUSES, description: 'Why it changed.' },
      ...(more.urgency && {
        urgency: { type: 'string', enum: URGENCIES, description: 'How soon a person is needed.' },
      }),
    },
    example: {
      resource_id: EXAMPLE_IDS.agentConversation,
      ...CONVERSATION_EXAMPLE,
      handling,
      cause: more.urgency ? 'assistant' : 'person',
      ...more,
    },
  };
}

/** The messages of lifecycle events. They contain IDs, statuses and codes, and no content. */
export const LIFECYCLE_MESSAGES: Readonly<Record<LifecycleEventType, Message>> = {
  'run.started': runMessage('A turn was accepted', 'running', {
    data: {
      trigger_id: {
        type: ['string', 'null'],
        description: 'The trigger that started the turn. Null: it started without a trigger.',
      },
    },
    example: { trigger_id: null },
  }),
  'run.waiting': runMessage('A turn waits for its client', 'waiting_for_client_action', {
    data: {
      pending_calls: {
        type: 'array',
        description: 'The calls whose results it waits for.',
        items: {
          type: 'object',
          required: ['call_id', 'name'],
          properties: { call_id: text('The ID of the call.'), name: text('The name of the client tool.') },
        },
      },
    },
    example: { pending_calls: [{ call_id: EXAMPLE_IDS.call, name: 'ask_user' }] },
  }),
  'run.completed': runMessage('A turn ended with a reply', 'completed', { example: { finish_reason: 'stop' } }),
  'run.failed': runMessage('A turn failed', 'failed', { example: { error_code: 'model_error' } }),
  'run.interrupted': runMessage('A turn was stopped', 'interrupted', { example: { finish_reason: 'stopped' } }),
  'conversation.completed': {
    summary: 'A conversation was completed',
    data: {
      resource_id: uuid('The ID of the conversation.'),
      ...CONVERSATION,
      run_id: uuid('The ID of the run that completed it.'),
    },
    example: { resource_id: EXAMPLE_IDS.agentConversation, ...CONVERSATION_EXAMPLE, run_id: EXAMPLE_IDS.run },
  },
  'conversation.handed_over': handlingMessage('A conversation waits for a person', 'waiting', { urgency: 'normal' }),
  'conversation.taken': handlingMessage('A person took a conversation over', 'member'),
  'conversation.handed_back': handlingMessage('A conversation was handed back to the assistant', 'assistant'),
  'conversation.message_received': runMessage('A message came for a person', 'completed', {
    data: {
      handled_by: {
        type: 'string',
        enum: ['waiting', 'member'],
        description: '`waiting`: the conversation waits for a person. `member`: a person has it.',
      },
    },
    example: { step: 0, handled_by: 'member' },
  }),
  'trigger.used': {
    summary: 'A trigger started a conversation',
    data: { resource_id: text('The ID of the trigger.'), trigger_id: text('The same ID.'), ...CONVERSATION },
    example: { resource_id: EXAMPLE_IDS.trigger, trigger_id: EXAMPLE_IDS.trigger, ...CONVERSATION_EXAMPLE },
  },
  'budget.warned': { ...BUDGET, summary: 'A budget warned' },
  'budget.reached': { ...BUDGET, summary: 'A budget was reached' },
};
