import { UUID_PATTERN } from '../../contract/ids.ts';
import type { HandlingMode, RatingValue, RunStatus } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import { KEY } from '../../shapes/values-by-name.ts';
import { conversationInReach } from '../access/reach.ts';
import type { Context } from '../context.ts';
import type { Period } from '../period.ts';
import { assignmentConditions } from './assignment/filter.ts';
import type { ParsedFilter, Range } from './filter.ts';

type Environment = Pick<Context['environment'], 'id' | 'workspaceId'>;

/** The index entry of a meta value: its key and its text. */
export function metaLabel(key: string, value: string | number | boolean): string {
  return `${key}=${value}`;
}

/** The conditions of a filter on the row `c` of `conversation`, except the one on the cost. */
export function conditionsOf(environment: Environment, filter: ParsedFilter): Prisma.Sql {
  const { deploymentId, status, runStatuses, rating, handling, meta, search, text, anyId } = filter;
  const { workflowVersion, errorCodes } = filter;
  const conditions = [
    Prisma.sql`c.environment_id = ${environment.id}::uuid`,
    filter.reach && conversationInReach(filter.reach),
    deploymentId && Prisma.sql`c.deployment_id = ${deploymentId}::uuid`,
    filter.endUser && Prisma.sql`c.end_user = ${filter.endUser}`,
    status && Prisma.sql`c.status = ${status}::conversation_status`,
    runStatuses && latestRunIn(runStatuses),
    rating && hasRating(rating),
    handling && isHandledAs(handling),
    ...assignmentConditions(environment, filter),
    meta && Object.keys(meta).length > 0 && Prisma.sql`c.meta_labels @> ${labelsOf(meta)}::text[]`,
    search && Prisma.sql`c.name ILIKE ${`%${search.replace(/[\\%_]/g, '\\$&')}%`}`,
    text && hasWords(environment, text),
    anyId && hasId(environment, anyId),
    workflowVersion && hasRun(Prisma.sql`r.workflow_version = ${workflowVersion}`),
    errorCodes && hasRun(Prisma.sql`r.error_code = ANY (${errorCodes}::text[])`),
    within('created_at', filter.createdAt),
    within('updated_at', filter.updatedAt),
    filter.responseTimeMs && inRange(Prisma.sql`c.response_time_ms`, filter.responseTimeMs),
  ];
  return Prisma.join(
    conditions.filter((condition) => condition instanceof Prisma.Sql),
    ' AND ',
  );
}

/**
 * Whether the statement must run without row-level security. With a policy PostgreSQL does not use a GIN index, because its
 * operators are not leakproof.
 */
export function needsGin({ meta, text }: ParsedFilter): boolean {
  return Boolean(text) || Object.keys(meta ?? {}).length > 0;
}

// No stored label begins with "=", so a key that is not valid matches nothing.
function labelsOf(meta: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(meta).map(([key, value]) => metaLabel(KEY.test(key) ? key : '', value));
}

/** Only the latest turn of a conversation can be active, and an index covers active runs. */
function latestRunIn(statuses: readonly RunStatus[]): Prisma.Sql {
  const isActive = statuses.every((one) => one === 'running' || one === 'waiting_for_client_action');
  const run = isActive ? Prisma.sql`r.conversation_id = c.id` : Prisma.sql`r.id = c.latest_run_id`;
  return Prisma.sql`EXISTS (
    SELECT FROM run r WHERE ${run} AND r.environment_id = c.environment_id AND r.status = ANY (${statuses}::run_status[]))`;
}

function hasRun(condition: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM run r WHERE r.conversation_id = c.id AND r.environment_id = c.environment_id AND ${condition})`;
}

function hasRating(rating: RatingValue): Prisma.Sql {
  return Prisma.sql`EXISTS (
    SELECT FROM timeline_item i
    WHERE i.conversation_id = c.id AND i.environment_id = c.environment_id AND i.rating = ${rating}::rating_value)`;
}

/** The second condition is that of the partial index. */
function isHandledAs(modes: readonly HandlingMode[]): Prisma.Sql {
  const isIndexed = modes.includes('assistant') ? Prisma.empty : Prisma.sql` AND c.handling <> 'assistant'`;
  const [only, ...others] = modes;
  // With one mode, the index has the order by the time.
  if (only && others.length === 0) return Prisma.sql`c.handling = ${only}::handling_mode${isIndexed}`;
  return Prisma.sql`c.handling = ANY (${[...modes]}::handling_mode[])${isIndexed}`;
}

function within(column: string, period: Period | null | undefined): Prisma.Sql | undefined {
  const { from, to } = period ?? {};
  const name = Prisma.raw(`c.${column}`);
  const bounds = [from && Prisma.sql`${name} >= ${from}`, to && Prisma.sql`${name} < ${to}`];
  const conditions = bounds.filter((bound) => bound instanceof Prisma.Sql);
  return conditions.length > 0 ? Prisma.join(conditions, ' AND ') : undefined;
}

/** Shorter beginnings of words match too much to be useful. */
const BEGINNING = /(^|\s)[\p{L}\p{N}]{3,}$/u;

/** The query of a search text. Its last word can be incomplete, because the user may still be typing. */
function searchQuery(text: string): Prisma.Sql {
  return BEGINNING.test(text) ? Prisma.sql`search_prefix_query(${text})` : Prisma.sql`search_query(${text})`;
}

/** The first condition is for a router, the second one for the indexes of words. */
const ofEnvironment = ({ id }: Environment) =>
  Prisma.sql`environment_id = ${id}::uuid AND ARRAY[environment_id] @> ARRAY[${id}]::uuid[]`;

/** All words are in one message, or in the name. */
function hasWords(environment: Environment, text: string): Prisma.Sql {
  return Prisma.sql`c.id IN (
    ${messagesWith(environment, text)}
    UNION SELECT id FROM conversation WHERE ${ofEnvironment(environment)} AND ${nameWith(text)})`;
}

/** The conversation IDs of the messages that have all words. */
export function messagesWith(environment: Environment, text: string): Prisma.Sql {
  return Prisma.sql`SELECT conversation_id FROM timeline_item WHERE ${hasMessageWords(environment, text)}`;
}

/** The condition that a timeline item is a message that has all words. */
export function hasMessageWords(environment: Environment, text: string): Prisma.Sql {
  return Prisma.sql`kind = 'message' AND superseded_by IS NULL
    AND ${ofEnvironment(environment)} AND message_words(content) @@ ${searchQuery(text)}`;
}

/** The condition that a name has all words. */
export function nameWith(text: string): Prisma.Sql {
  return Prisma.sql`search_words(name) @@ ${searchQuery(text)}`;
}

const TRIGGER_ID = /^[\w-]{8}$/;
const ITEM_ID = /^(?:item_)?(\d{1,16})$/;
/** A global ID in clear text: the name of a type and the key of the object. */
const GLOBAL_ID = /^[A-Z][A-Za-z]+:(.+)$/;

/** The ID of the conversation, or of a run, a call, a request, a trigger or an item in it. Each has an index. */
function hasId({ id: environmentId }: Environment, pasted: string): Prisma.Sql {
  const trimmed = pasted.trim();
  const text = GLOBAL_ID.exec(Buffer.from(trimmed, 'base64').toString())?.[1] ?? trimmed;
  const uuid = UUID_PATTERN.test(text.toLowerCase()) ? text.toLowerCase() : undefined;
  const item = ITEM_ID.exec(text)?.[1];
  const environment = Prisma.sql`environment_id = ${environmentId}::uuid`;
  const found = (table: string, condition: Prisma.Sql) =>
    Prisma.sql`SELECT conversation_id FROM ${Prisma.raw(table)} WHERE ${condition} AND ${environment}`;
  const sources = [
    found('timeline_item', Prisma.sql`call_id = ${text}`),
    found('run', Prisma.sql`request_id = ${text}`),
    found('workflow_log', Prisma.sql`request_id = ${text} AND conversation_id IS NOT NULL`),
    uuid && Prisma.sql`SELECT ${uuid}::uuid`,
    uuid && found('run', Prisma.sql`id = ${uuid}::uuid`),
    uuid && found('queued_turn', Prisma.sql`run_id = ${uuid}::uuid`),
    TRIGGER_ID.test(text) && found('trigger', Prisma.sql`id = ${text} AND conversation_id IS NOT NULL`),
    item && found('timeline_item', Prisma.sql`id = ${BigInt(item)}::int8`),
  ];
  const union = Prisma.join(
    sources.filter((source) => source instanceof Prisma.Sql),
    ' UNION ',
  );
  return Prisma.sql`c.id IN (${union})`;
}

/** The condition that a number is in a range. An unknown number matches only a range without bounds. */
export function inRange(value: Prisma.Sql, { min, max }: Range): Prisma.Sql {
  const least = min == null ? Prisma.sql`true` : Prisma.sql`${value} >= ${min}::float8::numeric`;
  const most = max == null ? Prisma.sql`true` : Prisma.sql`${value} <= ${max}::float8::numeric`;
  return Prisma.sql`${least} AND ${most}`;
}
