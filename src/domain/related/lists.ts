import { HISTORY_INCLUDES, type HistoryInclude, type TimelineBranch } from '../../contract/statuses.ts';
import type {
  Budget,
  Conversation,
  ConversationNote,
  Deployment,
  DocumentVersion,
  Run,
  TimelineItem,
  TimelineKind,
  TraceSpan,
  Trigger,
  WorkflowLog,
  WorkflowVersion,
} from '../../db/generated/client.ts';
import { Prisma } from '../../db/generated/client.ts';
import { newestFirst } from '../../db/keyset.ts';
import type { Condition, RelatedList } from './page.ts';

const ENVIRONMENT = { key: 'id', owner: 'environment_id' } as const;

/** Rows with a numeric ID, which increases over time. */
const byNumber = (list: string, direction: 'asc' | 'desc') =>
  ({ list, columns: [{ field: 'id', type: 'bigint' }], direction }) as const;

const OF_DEPLOYMENT = { parent: [{ column: 'deployment_id', field: 'deploymentId', type: 'uuid' }] } as const;
const OF_CONVERSATION = { parent: [{ column: 'conversation_id', field: 'conversationId', type: 'uuid' }] } as const;
const OF_RUN = { parent: [{ column: 'run_id', field: 'runId', type: 'uuid' }] } as const;
const OF_TRIGGER = { parent: [{ column: 'trigger_id', field: 'triggerId', type: 'text' }] } as const;
const OF_WORKFLOW = { parent: [{ column: 'workflow_id', field: 'workflowId', type: 'int4' }] } as const;

const LOG = { ...newestFirst<WorkflowLog>('workflow_log', 'createdAt', 'bigint'), ...ENVIRONMENT } as const;
const LOG_ROWS = { model: 'workflowLog', table: 'workflow_log' } as const;

const TIMELINE = { ...byNumber('timeline', 'asc'), ...ENVIRONMENT } as const;
const TIMELINE_ROWS = { model: 'timelineItem', table: 'timeline_item', select: 'all' } as const;

/** Budgets of a deployment, newest first. */
export const DEPLOYMENT_BUDGETS: RelatedList<Budget> = {
  ...newestFirst<Budget>('budgets', 'createdAt'),
  ...ENVIRONMENT,
  ...OF_DEPLOYMENT,
  model: 'budget',
  table: 'budget',
  select: 'all',
};

/** Budgets of a conversation, newest first. */
export const CONVERSATION_BUDGETS: RelatedList<Budget> = {
  ...newestFirst<Budget>('budgets', 'createdAt'),
  ...ENVIRONMENT,
  ...OF_CONVERSATION,
  model: 'budget',
  table: 'budget',
  select: 'all',
};

/** Notes about a conversation, oldest first. */
export const CONVERSATION_NOTES: RelatedList<ConversationNote> = {
  list: 'notes',
  columns: [
    { field: 'createdAt', type: 'date' },
    { field: 'id', type: 'string' },
  ],
  direction: 'asc',
  ...ENVIRONMENT,
  ...OF_CONVERSATION,
  model: 'conversationNote',
  table: 'conversation_note',
  select: 'all',
};

/** Conversations of a deployment, latest activity first. */
export const DEPLOYMENT_CONVERSATIONS: RelatedList<Conversation> = {
  ...newestFirst<Conversation>('conversations', 'updatedAt'),
  ...ENVIRONMENT,
  ...OF_DEPLOYMENT,
  model: 'conversation',
  table: 'conversation',
};

/** Triggers of a deployment, newest first. */
export const DEPLOYMENT_TRIGGERS: RelatedList<Trigger> = {
  ...newestFirst<Trigger>('triggers', 'createdAt'),
  ...ENVIRONMENT,
  ...OF_DEPLOYMENT,
  model: 'trigger',
  table: 'trigger',
};

/** Deployments of a workflow, newest first. */
export const WORKFLOW_DEPLOYMENTS: RelatedList<Deployment> = {
  ...newestFirst<Deployment>('deployments', 'createdAt'),
  ...OF_WORKFLOW,
  key: 'id',
  owner: 'workspace_id',
  model: 'deployment',
  table: 'deployment',
};

/** Triggers of a workflow's deployments, newest first. */
export const WORKFLOW_TRIGGERS: RelatedList<Trigger> = {
  ...newestFirst<Trigger>('triggers', 'createdAt'),
  ...ENVIRONMENT,
  ...OF_WORKFLOW,
  model: 'trigger',
  table: 'trigger',
};

/** Deployments that run a version of a workflow, newest first. */
export const VERSION_DEPLOYMENTS: RelatedList<Deployment> = {
  ...newestFirst<Deployment>('deployments', 'createdAt'),
  parent: [...OF_WORKFLOW.parent, { column: 'published_version', field: 'publishedVersion', type: 'int4' }],
  key: 'id',
  owner: 'workspace_id',
  model: 'deployment',
  table: 'deployment',
};

/** Versions of a workflow, newest first. */
export const WORKFLOW_VERSIONS: RelatedList<WorkflowVersion> = {
  list: 'workflow_versions',
  columns: [{ field: 'number', type: 'int' }],
  direction: 'desc',
  ...OF_WORKFLOW,
  key: 'number',
  owner: undefined,
  filters: (workflowId) => [workflowId],
  model: 'workflowVersion',
  table: 'workflow_version',
};

/** Versions of a document, newest first. */
export const DOCUMENT_VERSIONS: RelatedList<DocumentVersion> = {
  list: 'document_versions',
  columns: [{ field: 'number', type: 'int' }],
  direction: 'desc',
  parent: [{ column: 'document_id', field: 'documentId', type: 'text' }],
  key: 'number',
  owner: 'environment_id',
  filters: (documentId) => [documentId],
  model: 'documentVersion',
  table: 'document_version',
};

/** Forks of a conversation, newest first. */
export const CONVERSATION_FORKS: RelatedList<Conversation> = {
  ...newestFirst<Conversation>('forks', 'createdAt'),
  ...ENVIRONMENT,
  parent: [{ column: 'forked_from', field: 'forkedFrom', type: 'uuid' }],
  model: 'conversation',
  table: 'conversation',
};

/** Runs of a conversation, newest first. */
export const CONVERSATION_RUNS: RelatedList<Run> = {
  ...newestFirst<Run>('runs of a conversation', 'createdAt'),
  ...ENVIRONMENT,
  ...OF_CONVERSATION,
  model: 'run',
  table: 'run',
};

/** The timeline of a conversation, oldest first. */
export const CONVERSATION_ITEMS: RelatedList<TimelineItem> = {
  ...TIMELINE,
  ...TIMELINE_ROWS,
  ...OF_CONVERSATION,
  filters: (conversationId, where) => [
    conversationId,
    where && 'kind' in where && where.kind === 'message' ? 'message' : null,
  ],
};

/** The timeline of a run, oldest first. */
export const RUN_ITEMS: RelatedList<TimelineItem> = { ...TIMELINE, ...TIMELINE_ROWS, ...OF_RUN };

/** The spans of a run's trace, in the order in which they ended. */
export const RUN_SPANS: RelatedList<TraceSpan> = {
  list: 'trace',
  // Their IDs are UUIDs of version 7, which increase over time.
  columns: [{ field: 'id', type: 'string' }],
  direction: 'asc',
  ...ENVIRONMENT,
  ...OF_RUN,
  model: 'traceSpan',
  table: 'trace_span',
  select: 'all',
};

/** Workflow logs of a deployment, conversation, run or trigger, newest first. */
export const DEPLOYMENT_LOGS: RelatedList<WorkflowLog> = { ...LOG, ...LOG_ROWS, ...OF_DEPLOYMENT };
export const CONVERSATION_LOGS: RelatedList<WorkflowLog> = { ...LOG, ...LOG_ROWS, ...OF_CONVERSATION };
export const RUN_LOGS: RelatedList<WorkflowLog> = { ...LOG, ...LOG_ROWS, ...OF_RUN };
export const TRIGGER_LOGS: RelatedList<WorkflowLog> = { ...LOG, ...LOG_ROWS, ...OF_TRIGGER };

/** The kinds of items that a caller gets only on request. */
const KIND_OF_INCLUDE = { summaries: 'summary', handling: 'handling' } as const satisfies Record<
  HistoryInclude,
  TimelineKind
>;

/** Leaves out all items that a caller gets only on request. */
export const ONLY_ITEMS = { kind: { notIn: Object.values(KIND_OF_INCLUDE) } } as const;

/** Leaves out the items that no feed has. */
export const NO_SUMMARY = { kind: { not: 'summary' } } as const;

/** Whether a feed has an item. */
export function isIncluded({ kind }: Pick<TimelineItem, 'kind'>, include: readonly HistoryInclude[]): boolean {
  return kind !== 'handling' || include.includes('handling');
}

/** A timeline without the items that were not requested. */
function onlyIncluded(include: readonly HistoryInclude[]): Condition | undefined {
  const kinds = HISTORY_INCLUDES.filter((one) => !include.includes(one)).map((one) => KIND_OF_INCLUDE[one]);
  if (kinds.length === 0) return undefined;
  return {
    where: { kind: { notIn: kinds } },
    sql: Prisma.raw(`kind NOT IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`),
  };
}

/** The messages of a timeline. The same text as in the partial index of messages. */
const ONLY_MESSAGES: Condition = { where: { kind: 'message' }, sql: Prisma.sql`kind = 'message'` };

/** The items of the active line. */
const ACTIVE: Condition = { where: { supersededBy: null }, sql: Prisma.sql`superseded_by IS NULL` };

/** The messages of a conversation: by default those of the active line. */
export function messagesOf(branch: TimelineBranch | null | undefined): Condition {
  return branch === 'all' ? ONLY_MESSAGES : both(ONLY_MESSAGES, ACTIVE);
}

/** The items of a timeline: by default those of the active line that need no request. Undefined: all items. */
export function itemsOf({
  include,
  branch,
}: {
  readonly include?: readonly HistoryInclude[] | null | undefined;
  readonly branch?: TimelineBranch | null | undefined;
}): Condition | undefined {
  const kinds = onlyIncluded(include ?? []);
  const line = branch === 'all' ? undefined : ACTIVE;
  return kinds && line ? both(kinds, line) : (kinds ?? line);
}

function both(one: Condition, other: Condition): Condition {
  return { where: { ...one.where, ...other.where }, sql: Prisma.sql`${one.sql} AND ${other.sql}` };
}
