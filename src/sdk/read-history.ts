import { type EnumName, enumValueOf } from '../contract/enum-names.ts';
import type { ConversationStatus, FinishReason, RunStatus } from '../contract/statuses.ts';
import type { WirePart, WireRating } from './content.ts';
import { asParleyError, ParleyError, type ParleyErrorFields } from './error.ts';
import {
  fromWireItem,
  fromWireState,
  type HistoryItem,
  type HistoryPage,
  type ToolSummary,
  type WireItem,
  type WireState,
} from './history.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';

/** Which conversation to read, and how many items. */
export interface ReadOptions {
  readonly conversationId: string;
  /** Page size, 1 to 100. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
  /** Reads the page before this cursor. Default: the newest one. */
  readonly cursor?: string | null | undefined;
}

// Aliased to the names of the REST API, so that the same code parses both.
export const ITEM_FIELDS = `id: itemId type created_at: createdAt
... on Message { role content { type ... on TextPart { text } ... on FilePart { mime_type: mimeType file_uri: fileUri }
  ... on DataPart { mime_type: mimeType data } }
  rating { value comment rated_at: ratedAt } }
... on Call { name call_id: callId status summary }
... on ClientToolCall { arguments output }
... on ConversationCompletion { summary }`;

export const STATE_FIELDS = `conversation_status: status run: latestRun { run_id: runId run_status: status finish_reason: finishReason }
pending_client_actions: pendingActions { call_id: callId name arguments expires_at: expiresAt }
tool_summary: toolSummary { name type status }`;

/** A page with the cursor that the feed starts after. Only pages have variants, because the service looks them up. */
export const PAGE = `query ($conversationId: ID!, $deploymentId: ID!, $limit: Int!, $cursor: String) {
  conversation(id: $conversationId, deploymentId: $deploymentId) {
    ${STATE_FIELDS} history(last: $limit, before: $cursor) { nodes { ${ITEM_FIELDS}
      ... on Message { variants { position itemIds } } } pageInfo { hasPreviousPage startCursor } followCursor } } }`;

/** A value with the names of enums, as the GraphQL API writes them. */
type WithNames<Fields, Key extends keyof Fields> = Omit<Fields, Key> & {
  readonly [K in Key]: EnumName<NonNullable<Fields[K]> & string> | Extract<Fields[K], undefined>;
};

type GraphPart = WithNames<WirePart, 'type'>;

/** An item as selected by `ITEM_FIELDS`. */
export type GraphItem = WithNames<Omit<WireItem, 'content' | 'rating'>, 'type' | 'role' | 'status'> & {
  readonly content?: readonly GraphPart[];
  readonly rating?: WithNames<WireRating, 'value'> | null;
};

export function fromGraphItem({ type, role, status, content, rating, ...item }: GraphItem): HistoryItem {
  return fromWireItem({
    ...item,
    type: enumValueOf(type),
    ...(role && { role: enumValueOf(role) }),
    ...(status && { status: enumValueOf(status) }),
    ...(rating && { rating: { ...rating, value: enumValueOf(rating.value) } }),
    ...(content && { content: content.map((part) => ({ ...part, type: enumValueOf(part.type) })) }),
  });
}

/** A conversation's state as selected by `STATE_FIELDS`. */
export interface GraphState extends Pick<WireState, 'pending_client_actions'> {
  readonly conversation_status: EnumName<ConversationStatus>;
  readonly run: {
    readonly run_id: string;
    readonly run_status: EnumName<RunStatus>;
    readonly finish_reason: EnumName<FinishReason> | null;
  } | null;
  readonly tool_summary: readonly WithNames<ToolSummary, 'type' | 'status'>[];
}

export function fromGraphState({ conversation_status, run, tool_summary, ...state }: GraphState) {
  return fromWireState({
    ...state,
    conversation_status: enumValueOf(conversation_status),
    run_id: run?.run_id ?? null,
    run_status: run && enumValueOf(run.run_status),
    finish_reason: run?.finish_reason && enumValueOf(run.finish_reason),
    tool_summary: tool_summary.map(({ name, type, status }) => ({
      name,
      type: enumValueOf(type),
      status: enumValueOf(status),
    })),
  });
}

interface GraphPage {
  readonly data?: {
    readonly conversation:
      | (GraphState & {
          readonly history: {
            readonly nodes: readonly GraphItem[];
            readonly pageInfo: { readonly hasPreviousPage: boolean; readonly startCursor: string | null };
            readonly followCursor: string;
          };
        })
      | null;
  } | null;
}

/** Null means that the conversation does not exist. The SDK reports it like the 404 of the REST API. */
function missing(body: unknown): ParleyErrorFields | undefined {
  if ((body as GraphPage).data?.conversation !== null) return undefined;
  const message = 'No conversation has this ID.';
  return { code: 'not_found', status: 404, type: 'not_found_error', param: 'conversationId', message };
}

/** Reads a page and its feed cursor from the GraphQL API. @throws {ParleyError} */
async function readFollowedPage(settings: Settings, { signal, ...page }: ReadOptions): Promise<HistoryPage> {
  const variables = { ...page, deploymentId: settings.deploymentId() };
  const body = { query: PAGE, variables };
  const request = { method: 'POST', path: '/graphql', body, isRepeatable: true, signal, problemOf: missing } as const;
  const result = await sendJson<GraphPage>(settings, request);
  const { history, ...state } = result.data?.conversation ?? {};
  if (!history) throw new ParleyError({ code: 'invalid_response', message: 'The response has no conversation.' });
  const { nodes, pageInfo, followCursor } = history;
  return {
    items: nodes.map(fromGraphItem),
    nextCursor: pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
    followCursor,
    state: fromGraphState(state as GraphState),
  };
}

interface WirePage extends WireState {
  readonly items: readonly WireItem[];
  readonly next_cursor: string | null;
}

/** Reads a page from the REST API. @throws {ParleyError} */
async function readPlainPage(
  settings: Settings,
  { conversationId, limit, signal, cursor }: ReadOptions,
): Promise<HistoryPage> {
  const path = `/v2/runner/${settings.deploymentId()}/conversation/${encodeURIComponent(conversationId)}/history`;
  const query = { limit, cursor: cursor ?? undefined };
  const wire = await sendJson<WirePage>(settings, { method: 'GET', path, query, signal });
  return {
    items: wire.items.map(fromWireItem),
    nextCursor: wire.next_cursor,
    followCursor: null,
    state: fromWireState(wire),
  };
}

/** Reads a page; from the REST API if the GraphQL API is blocked or not needed. @throws {ParleyError} */
export async function readPage(settings: Settings, options: ReadOptions, live: boolean): Promise<HistoryPage> {
  if (!live) return readPlainPage(settings, options);
  try {
    return await readFollowedPage(settings, options);
  } catch (error) {
    const { code, status } = asParleyError(error);
    if (code === 'invalid_response' && status < 500) return readPlainPage(settings, options);
    throw error;
  }
}

/**
 * Reads the newest page, and older ones down to a known item, so that there is no gap. Known items can have left the active
 * line.
 * @throws {ParleyError}
 */
export async function readDownTo(
  settings: Settings,
  options: ReadOptions,
  { known, live }: { readonly known: readonly HistoryItem[]; readonly live: boolean },
): Promise<HistoryPage> {
  const page = await readPage(settings, options, live);
  const ids = new Set(known.map(({ id }) => id));
  const oldest = known[0]?.id ?? '~';
  let { items, nextCursor } = page;
  while (nextCursor !== null && (items[0]?.id ?? '') > oldest && !items.some(({ id }) => ids.has(id))) {
    const older = await readPage(settings, { ...options, cursor: nextCursor }, live);
    items = [...older.items, ...items];
    nextCursor = older.nextCursor;
  }
  return { ...page, items, nextCursor };
}
