import type { ErrorCode } from '../../../contract/errors.ts';
import type {
  BudgetPeriod,
  BudgetPlace,
  EventType,
  FinishReason,
  HandlingCause,
  HandlingMode,
  IntegrationKind,
  RunStatus,
  Urgency,
} from '../../../contract/statuses.ts';
import type { LoggedEvent } from '../../../domain/events/reads.ts';
import { BudgetPeriodEnum, BudgetPlaceEnum } from '../budget-enums.ts';
import { builder, type JsonObject } from '../builder.ts';
import { FinishReasonEnum, IntegrationKindEnum, RunStatusEnum } from '../enums.ts';
import { ErrorCodeEnum } from '../error-codes.ts';
import { HandlingCauseEnum, HandlingModeEnum, UrgencyEnum } from '../handling-enums.ts';

const TYPES = {
  resource: 'ResourceEventPayload',
  integration: 'IntegrationEventPayload',
  run: 'RunEventPayload',
  conversation: 'ConversationEventPayload',
  trigger: 'TriggerEventPayload',
  budget: 'BudgetEventPayload',
} as const;

/** The events whose payload differs from those of their object. */
const OTHER_TYPES: Readonly<Record<string, string>> = {
  'resource.updated': 'ResourceChangePayload',
  'conversation.message_received': TYPES.run,
  'conversation.handed_over': 'HandlingEventPayload',
  'conversation.taken': 'HandlingEventPayload',
  'conversation.handed_back': 'HandlingEventPayload',
} satisfies Partial<Record<EventType, string>>;

/** A call as the log has it. */
interface LoggedCall {
  readonly call_id: string;
  readonly name: string;
}

/** The fields of all payloads. The type of an event decides which of them it has. */
interface StoredPayload {
  readonly type: string;
  readonly fields: JsonObject;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly integration_id: string;
  readonly kind: IntegrationKind;
  readonly name: string;
  readonly run_id: string;
  readonly conversation_id: string;
  readonly deployment_id: string;
  readonly run_status: RunStatus;
  readonly step: number;
  readonly finish_reason: FinishReason | null;
  readonly error_code: ErrorCode | null;
  readonly trigger_id: string;
  readonly handling: HandlingMode;
  readonly cause: HandlingCause;
  readonly urgency?: Urgency;
  readonly budget_id: string;
  readonly place: BudgetPlace;
  readonly period: BudgetPeriod;
  readonly period_ends_at: string | null;
  readonly pending_calls?: readonly LoggedCall[];
}

type Logged = Pick<LoggedEvent, 'type' | 'payload'>;

const stored = ({ payload }: Logged) => payload as StoredPayload;

export const EventPayload = builder.interfaceRef<Logged>('EventPayload').implement({
  description: 'What changed. Each kind of event has a type of its own.',
  resolveType: ({ type }) => OTHER_TYPES[type] ?? TYPES[type.split('.')[0] as keyof typeof TYPES],
  fields: (t) => ({
    json: t.field({
      type: 'JSONObject',
      description: 'The whole payload, as REST and webhooks have it.',
      resolve: (event) => event.payload as JsonObject,
    }),
  }),
});

const payload = (name: string) => builder.objectRef<Logged>(name);
const interfaces = [EventPayload];

const DEPLOYMENT_ID = { type: 'UUID', description: 'The ID of the deployment.' } as const;
const CONVERSATION_ID = { type: 'UUID', description: 'The ID of the conversation.' } as const;

payload(TYPES.resource).implement({
  description: 'A resource that was created or deleted.',
  interfaces,
  fields: (t) => ({
    type: t.string({ description: 'The type of the resource.', resolve: (event) => stored(event).type }),
    fields: t.field({
      type: 'JSONObject',
      description: 'The fields of the resource.',
      resolve: (event) => stored(event).fields,
    }),
  }),
});

payload('ResourceChangePayload').implement({
  description: 'The changed fields of a resource.',
  interfaces,
  fields: (t) => ({
    before: t.field({
      type: 'JSONObject',
      description: 'The values before. A field that is missing here is new.',
      resolve: (event) => stored(event).before,
    }),
    after: t.field({
      type: 'JSONObject',
      description: 'The values after.',
      resolve: (event) => stored(event).after,
    }),
  }),
});

payload(TYPES.integration).implement({
  description: 'An integration that was connected or disconnected.',
  interfaces,
  fields: (t) => ({
    integrationId: t.id({
      description: 'The ID of the integration.',
      resolve: (event) => stored(event).integration_id,
    }),
    kind: t.field({
      type: IntegrationKindEnum,
      description: 'The type of the system.',
      resolve: (event) => stored(event).kind,
    }),
    name: t.string({ description: 'Display name of the integration.', resolve: (event) => stored(event).name }),
  }),
});

const EventCall = builder.objectRef<LoggedCall>('EventCall').implement({
  description: 'A call that waits for its result. The log has no arguments.',
  fields: (t) => ({
    callId: t.string({ description: 'The ID of the call.', resolve: ({ call_id: id }) => id }),
    name: t.exposeString('name', { description: 'The name of the client tool.' }),
  }),
});

payload(TYPES.run).implement({
  description: 'A turn whose status changed.',
  interfaces,
  fields: (t) => ({
    runId: t.field({ type: 'UUID', description: 'The ID of the run.', resolve: (event) => stored(event).run_id }),
    conversationId: t.field({ ...CONVERSATION_ID, resolve: (event) => stored(event).conversation_id }),
    deploymentId: t.field({ ...DEPLOYMENT_ID, resolve: (event) => stored(event).deployment_id }),
    runStatus: t.field({
      type: RunStatusEnum,
      description: 'The status of the run after the event.',
      resolve: (event) => stored(event).run_status,
    }),
    step: t.int({ description: 'The number of model steps so far.', resolve: (event) => stored(event).step }),
    finishReason: t.field({
      type: FinishReasonEnum,
      nullable: true,
      description: 'Why the reply ended. Null: it has no complete reply, or the provider gave no known reason.',
      resolve: (event) => stored(event).finish_reason,
    }),
    errorCode: t.field({
      type: ErrorCodeEnum,
      nullable: true,
      description: 'Why the run failed. Null: it did not fail.',
      resolve: (event) => stored(event).error_code,
    }),
    startedByTriggerId: t.string({
      nullable: true,
      description: 'The trigger that started the turn. Null: it started without one, or this is not its start.',
      resolve: ({ payload: started }) => (started as Partial<StoredPayload>).trigger_id ?? null,
    }),
    calls: t.field({
      type: [EventCall],
      description: 'The calls whose results it waited for. Empty, except in run.waiting.',
      resolve: (event): readonly LoggedCall[] => stored(event).pending_calls ?? [],
    }),
  }),
});

payload(TYPES.conversation).implement({
  description: 'A conversation that was completed.',
  interfaces,
  fields: (t) => ({
    conversationId: t.field({ ...CONVERSATION_ID, resolve: (event) => stored(event).conversation_id }),
    deploymentId: t.field({ ...DEPLOYMENT_ID, resolve: (event) => stored(event).deployment_id }),
    runId: t.field({
      type: 'UUID',
      description: 'The ID of the run that completed it.',
      resolve: (event) => stored(event).run_id,
    }),
  }),
});

payload(TYPES.trigger).implement({
  description: 'A trigger that started a conversation.',
  interfaces,
  fields: (t) => ({
    triggerId: t.string({ description: 'The ID of the trigger.', resolve: (event) => stored(event).trigger_id }),
    conversationId: t.field({ ...CONVERSATION_ID, resolve: (event) => stored(event).conversation_id }),
    deploymentId: t.field({ ...DEPLOYMENT_ID, resolve: (event) => stored(event).deployment_id }),
  }),
});

payload('HandlingEventPayload').implement({
  description: 'A conversation that waits for a person, that a person took over, or that was handed back.',
  interfaces,
  fields: (t) => ({
    conversationId: t.field({ ...CONVERSATION_ID, resolve: (event) => stored(event).conversation_id }),
    deploymentId: t.field({ ...DEPLOYMENT_ID, resolve: (event) => stored(event).deployment_id }),
    handling: t.field({
      type: HandlingModeEnum,
      description: 'Who answers the user now.',
      resolve: (event) => stored(event).handling,
    }),
    cause: t.field({
      type: HandlingCauseEnum,
      description: 'Why it changed.',
      resolve: (event) => stored(event).cause,
    }),
    urgency: t.field({
      type: UrgencyEnum,
      nullable: true,
      description: 'How soon a person is needed. Null: the conversation does not wait.',
      resolve: (event) => stored(event).urgency ?? null,
    }),
  }),
});

payload(TYPES.budget).implement({
  description: 'A budget that warned or was reached.',
  interfaces,
  fields: (t) => ({
    budgetId: t.string({ description: 'The ID of the budget.', resolve: (event) => stored(event).budget_id }),
    place: t.field({
      type: BudgetPlaceEnum,
      description: 'What the budget covers.',
      resolve: (event) => stored(event).place,
    }),
    period: t.field({
      type: BudgetPeriodEnum,
      description: 'The period of the budget.',
      resolve: (event) => stored(event).period,
    }),
    periodEndsAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the period ends. Null: never.',
      resolve: (event) => {
        const { period_ends_at: end } = stored(event);
        return end === null ? null : new Date(end);
      },
    }),
  }),
});
