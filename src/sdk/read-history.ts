import { asParleyError, ParleyError, type ParleyErrorFields } from './error.ts';
import { type ConversationState, fromWireItem, fromWireState, type HistoryItem, type HistoryPage } from './history.ts';
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

export const ITEM_FIELDS = `id: itemId type createdAt
... on Message { role author { displayName kind }
  content { type ... on TextPart { text } ... on FilePart { mimeType fileUri } ... on DataPart { mimeType data } }
  rating { value comment ratedAt } }
... on Call { name callId status summary }
... on ClientToolCall { arguments output }
... on ConversationCompletion { summary }
... on HandlingChange { mode author: member { displayName kind } }`;

// Aliased like the REST API, so that the same code parses both.
export const STATE_FIELDS = `conversationStatus: status run: latestRun { runId runStatus: status finishReason }
pendingClientActions: pendingActions { callId name arguments expiresAt }
toolSummary { name type status } handling { mode since author: member { displayName } }`;

/** A page with the cursor that the feed starts after. Only pages have variants, because the service looks them up. */
export const PAGE = `query ($conversationId: ID!, $deploymentId: ID!, $limit: Int!, $cursor: String) {
  conversation(id: $conversationId, deploymentId: $deploymentId) {
    ${STATE_FIELDS} history(last: $limit, before: $cursor, filter: { include: [HANDLING] }) { nodes { ${ITEM_FIELDS}
      ... on Message { variants { position itemIds } } } pageInfo { hasPreviousPage startCursor } followCursor } } }`;

/** A conversation as selected by `STATE_FIELDS`. */
export interface GraphState {
  readonly run: object | null;
}

export function fromGraphState({ run, ...state }: GraphState): ConversationState {
  return fromWireState({ runId: null, runStatus: null, ...state, ...run });
}

interface GraphPage {
  readonly data?: {
    readonly conversation:
      | (GraphState & {
          readonly history: {
            readonly nodes: readonly object[];
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
    items: nodes.map(fromWireItem),
    nextCursor: pageInfo.hasPreviousPage ? pageInfo.startCursor : null,
    followCursor,
    state: fromGraphState(state as GraphState),
  };
}

interface WirePage {
  readonly items: readonly object[];
  readonly next_cursor: string | null;
}

/** Reads a page from the REST API. @throws {ParleyError} */
async function readPlainPage(
  settings: Settings,
  { conversationId, limit, signal, cursor }: ReadOptions,
): Promise<HistoryPage> {
  const path = `/v2/runner/${settings.deploymentId()}/conversation/${encodeURIComponent(conversationId)}/history`;
  const query = { limit, cursor: cursor ?? undefined, include: 'handling' };
  const page = await sendJson<WirePage>(settings, { method: 'GET', path, query, signal });
  const { items, next_cursor: nextCursor, ...state } = page;
  return { items: items.map(fromWireItem), nextCursor, followCursor: null, state: fromWireState(state) };
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
