import type { MessageContent } from '../../contract/content.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { CallKind, CallStatus, MessageRole } from '../../contract/statuses.ts';
import { Prisma } from '../../db/generated/client.ts';
import type { Context } from '../context.ts';
import type { Author, HandlingChange } from '../handling/handling-state.ts';

interface EntryBase {
  readonly id: bigint;
  readonly runId: string;
  /** The model step of the run that created the item. 0 is the user's message. */
  readonly step: number;
  /** What the provider must get back with the calls of the step, encrypted, as base64. On the first item of a step. */
  readonly sealedMemory?: string | null;
}

export interface MessageEntry extends EntryBase {
  readonly kind: 'message';
  readonly role: MessageRole;
  readonly content: MessageContent;
  /** What replaced turns at this place have done. */
  readonly priorEffects?: PriorEffects | null;
  /** The person who wrote it for the assistant. Null or missing: the assistant or the user did. */
  readonly author?: Author | null;
  /** The service wrote it for the model. It is not stored. */
  readonly isOfService?: true;
}

/** Actions of replaced turns. They are not undone. */
export interface PriorEffects {
  readonly calls: readonly {
    readonly callId: string;
    readonly name: string;
    readonly status: CallStatus;
    /** The beginning of their JSON. */
    readonly arguments: string;
  }[];
  /** How many further actions there were. */
  readonly others: number;
}

export interface CallEntry extends EntryBase {
  readonly kind: CallKind;
  readonly callId: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly status: CallStatus;
  /** Null until the call has an output. */
  readonly output: unknown;
  /** When a pending call expires. Null or missing: never. */
  readonly expiresAt?: Date | null;
}

/** A summary of the conversation, with what came before in an earlier summary. */
export interface SummaryEntry extends EntryBase {
  readonly kind: 'summary';
  readonly text: string;
  /** The last item that it covers: the end of a turn. */
  readonly lastItemId: bigint;
}

/** The return of the conversation to the assistant. */
export interface HandBackEntry extends EntryBase {
  readonly kind: 'handling';
  readonly change: HandlingChange;
}

/** A stored item that the model can see. */
export type TimelineEntry = MessageEntry | CallEntry | SummaryEntry | HandBackEntry;

export function isCall(entry: TimelineEntry): entry is CallEntry {
  return entry.kind !== 'message' && entry.kind !== 'summary' && entry.kind !== 'handling';
}

export function isUserMessage(entry: TimelineEntry): entry is MessageEntry {
  return entry.kind === 'message' && entry.role === 'user';
}

/**
 * How much of the conversation a turn gets: this many user messages before the current one. Null: the newest summary and
 * everything after it.
 */
export type HistoryLimit = number | null;

/**
 * Reads the model's view of a turn: the current user message, the user messages before it within the limit, and
 * everything after those, oldest first.
 * @param lastId leaves out the items after this one
 */
export async function recentTimeline(
  ctx: Context,
  conversationId: string,
  historyLimit: HistoryLimit,
  lastId?: bigint,
): Promise<TimelineEntry[]> {
  const rows = await ctx.sql.rows<TimelineRow>`${itemsFor(ctx, conversationId, historyLimit, lastId)}`;
  return entriesOf(rows);
}

/**
 * The same as a subquery of the statement that stores the current message, as JSON for `entriesOf`. It reads the
 * statement's snapshot.
 */
export function historyJson(ctx: Context, conversationId: string, historyLimit: HistoryLimit): Prisma.Sql {
  if (historyLimit === 0) return Prisma.sql`'[]'::json`;
  return Prisma.sql`(
      SELECT coalesce(json_agg(item), '[]') FROM (
        ${itemsFor(ctx, conversationId, historyLimit === null ? null : historyLimit - 1)}
      ) AS item)`;
}

/** Converts the result of `historyJson`. A summary comes first: it was stored after items that it does not cover. */
export function entriesOf(rows: readonly TimelineRow[]): TimelineEntry[] {
  const entries = rows.map(entryOf).sort((one, other) => (one.id < other.id ? -1 : 1));
  return [...entries.filter(({ kind }) => kind === 'summary'), ...entries.filter(({ kind }) => kind !== 'summary')];
}

/** The first items after an item, up to another one. The caller continues after the last of them. */
export async function itemsBetween(
  ctx: Context,
  conversationId: string,
  { after, through }: { readonly after: bigint; readonly through: bigint },
): Promise<TimelineEntry[]> {
  const rows = await ctx.sql.rows<TimelineRow>`
    SELECT ${columns(WITHOUT_INLINE_FILES)} FROM timeline_item
    WHERE ${ofConversation(ctx, conversationId)} AND ${IS_SENT} AND id > ${after} AND id <= ${through}
    ORDER BY id LIMIT ${SUMMARIZED_ITEMS}`;
  return entriesOf(rows);
}

/** How many items one read of a summary gets. */
const SUMMARIZED_ITEMS = 200;

const columns = (content: Prisma.Sql) => Prisma.sql`id, run_id, step, kind::text AS kind, role::text AS role,
           ${content} AS content, call_id, name, arguments, status::text AS status, output, expires_at,
           encode(sealed_memory, 'base64') AS sealed_memory, summary, prior_effects, author, handling`;

const COLUMNS = columns(Prisma.sql`content`);

/** The content with empty inline files. A summary only says that they were there. */
const WITHOUT_INLINE_FILES = Prisma.sql`CASE WHEN content @? '$[*]?(@.type == "data")' THEN (
             SELECT jsonb_agg(CASE WHEN part ->> 'type' = 'data' THEN part || '{"data": ""}' ELSE part END ORDER BY place)
             FROM jsonb_array_elements(content) WITH ORDINALITY AS parts(part, place)
           ) ELSE content END`;

/** The condition that an item is in the active line of its conversation. */
export const IS_ACTIVE = Prisma.sql`superseded_by IS NULL`;

/** The last item that a row covers: itself, unless it is a summary. */
export const LAST_ITEM = Prisma.sql`CASE WHEN kind = 'summary' THEN (summary ->> 'lastItemId')::int8 ELSE id END`;

/** Summaries are added where they are needed. Of hand-overs, the model needs only what it gets back. */
const IS_SENT = Prisma.sql`kind NOT IN ('conversation_completed', 'summary')
      AND (kind <> 'handling' OR handling ->> 'mode' = 'assistant') AND ${IS_ACTIVE}`;

function ofConversation(ctx: Context, conversationId: string): Prisma.Sql {
  return Prisma.sql`environment_id = ${ctx.environment.id}::uuid AND conversation_id = ${conversationId}::uuid`;
}

function itemsFor(ctx: Context, conversationId: string, limit: HistoryLimit, lastId?: bigint): Prisma.Sql {
  const notAfter = lastId === undefined ? Prisma.empty : Prisma.sql`AND id <= ${lastId}`;
  const own = ofConversation(ctx, conversationId);
  return limit === null ? itemsSinceSummary(own, notAfter) : itemsSince(own, notAfter, limit);
}

/**
 * The items from the user message that has `skipped` user messages after it, oldest first. All items if there are
 * fewer.
 */
function itemsSince(own: Prisma.Sql, notAfter: Prisma.Sql, skipped: number): Prisma.Sql {
  return Prisma.sql`
    SELECT ${COLUMNS} FROM timeline_item
    WHERE ${own} AND ${IS_SENT} ${notAfter}
      AND id >= coalesce((
        SELECT id FROM timeline_item
        WHERE ${own} AND kind = 'message' AND role = 'user' AND ${IS_ACTIVE} ${notAfter}
        ORDER BY id DESC OFFSET ${skipped} LIMIT 1), 0)
    ORDER BY id`;
}

/**
 * The most that the stored content of the items takes. Summaries begin at half of it, so this is reached only if
 * they fail.
 */
const MOST_BYTES = 2 * LIMITS.contextInlineBytes;

/** The newest summary, and the latest items that it does not cover, in any order. */
function itemsSinceSummary(own: Prisma.Sql, notAfter: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    WITH newest AS MATERIALIZED (
      SELECT ${COLUMNS} FROM timeline_item WHERE ${own} AND summary IS NOT NULL AND ${IS_ACTIVE} ${notAfter} ORDER BY id DESC LIMIT 1
    )
    SELECT * FROM newest UNION ALL (
      SELECT ${COLUMNS} FROM (
        SELECT *, sum(coalesce(pg_column_size(content), 0)) OVER (ORDER BY id DESC) AS bytes FROM (
          SELECT * FROM timeline_item
          WHERE ${own} AND ${IS_SENT} ${notAfter}
            AND id > coalesce((SELECT (summary ->> 'lastItemId')::int8 FROM newest), 0)
          ORDER BY id DESC LIMIT ${LIMITS.contextItems}) AS latest
      ) AS measured WHERE bytes <= ${MOST_BYTES})`;
}

/** A row of the timeline, or its JSON. */
export interface TimelineRow {
  id: bigint | number;
  run_id: string;
  step: number;
  kind: string;
  role: string | null;
  content: unknown;
  call_id: string | null;
  name: string | null;
  arguments: unknown;
  status: string | null;
  output: unknown;
  expires_at: Date | string | null;
  sealed_memory: string | null;
  summary: StoredSummary | null;
  prior_effects: PriorEffects | null;
  author: Author | null;
  handling: HandlingChange | null;
}

/** A summary as its item stores it. */
export interface StoredSummary {
  readonly text: string;
  readonly firstItemId: string;
  readonly lastItemId: string;
  /** The length of the text in tokens, as its model counted them. */
  readonly tokens: number;
  readonly model: string;
}

/** Database checks guarantee that a message has a role and content, and a call an ID, a name and a status. */
function entryOf(row: TimelineRow): TimelineEntry {
  const { step, sealed_memory: sealedMemory } = row;
  const base = { id: BigInt(row.id), runId: row.run_id, step, sealedMemory };
  if (row.kind === 'message') {
    const { role, content, prior_effects: priorEffects, author } = row;
    const message = { role: role as MessageRole, content: content as MessageContent, priorEffects, author };
    return { ...base, kind: 'message', ...message };
  }
  if (row.summary !== null) {
    return { ...base, kind: 'summary', text: row.summary.text, lastItemId: BigInt(row.summary.lastItemId) };
  }
  if (row.handling !== null) return { ...base, kind: 'handling', change: row.handling };
  return {
    ...base,
    kind: row.kind as CallKind,
    callId: row.call_id as string,
    name: row.name as string,
    arguments: row.arguments as CallEntry['arguments'],
    status: row.status as CallStatus,
    output: row.output,
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
  };
}
