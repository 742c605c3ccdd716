import { ERROR_CODES, type ErrorCode } from '../contract/errors.ts';
import { LIMITS } from '../contract/limits.ts';
import { ERROR_DESCRIPTIONS } from '../graphql/schema/error-codes.ts';
import { EXAMPLE_IDS } from './openapi-example-ids.ts';
import { PENDING } from './openapi-example-objects.ts';

const TURN = { conversation_id: EXAMPLE_IDS.agentConversation, run_id: EXAMPLE_IDS.run };

/** The further fields of an error. */
const FACTS: Readonly<Partial<Record<ErrorCode, object>>> = {
  missing_tool_results: { call_ids: [EXAMPLE_IDS.call] },
  unknown_call_id: { call_ids: [EXAMPLE_IDS.call] },
  budget_reached: { period_ends_at: '2026-02-01T00:00:00.000Z' },
  forbidden: { required_scope: 'resources:read' },
  challenge_required: {
    challenge: 'proof_of_work',
    challenge_token: 'AS1fVvxw1oZC',
    challenge_difficulty: LIMITS.challengeBits,
  },
  client_action_required: { pending_client_actions: [PENDING] },
  run_in_progress: { run_id: EXAMPLE_IDS.run },
  in_use: { dependants: [{ kind: 'conversation', count: 1, ids: [EXAMPLE_IDS.agentConversation] }] },
  second_factor_required: {
    ticket: `ticket_${'0'.repeat(43)}`,
    expires_at: '2026-01-31T09:30:00.000Z',
    methods: ['totp', 'recovery_code'],
    enrolment_required: false,
  },
  action_result_conflict: { ...TURN, call_ids: [EXAMPLE_IDS.call] },
  conversation_completed: {
    conversation_id: EXAMPLE_IDS.agentConversation,
    completed_at: '2026-01-31T09:30:00.000Z',
  },
  trigger_expired: { trigger_id: EXAMPLE_IDS.trigger, expires_at: '2026-01-31T09:30:00.000Z' },
  trigger_already_used: { conversation_id: EXAMPLE_IDS.agentConversation },
  model_error: TURN,
  model_timeout: TURN,
};

/** The invalid field that an error names. */
const PARAMS: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'content[0].text',
  invalid_cursor: 'cursor',
  trigger_required: 'trigger_id',
  missing_tool_results: 'tool_results',
  unknown_call_id: 'tool_results',
  invalid_tool_result: 'tool_results[0].output',
};

const exampleOf = (code: ErrorCode) => ({
  summary: ERROR_DESCRIPTIONS[code].replace(/\.$/, ''),
  value: {
    error: {
      type: ERROR_CODES[code].type,
      code,
      message: ERROR_DESCRIPTIONS[code],
      param: PARAMS[code] ?? null,
      ...FACTS[code],
    },
    request_id: EXAMPLE_IDS.request,
  },
});

/** References to the examples of these errors, by code. */
export function errorExamples(codes: readonly ErrorCode[]): Record<string, { readonly $ref: string }> {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
}

/** The components that {@link errorExamples} refers to. */
export function errorExampleComponents(codes: Iterable<ErrorCode>): Record<string, object> {
  return Object.fromEntries([...codes].map((code) => [code, exampleOf(code)]));
}
