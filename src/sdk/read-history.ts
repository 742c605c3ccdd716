import { ParleyError } from './error.ts';
import {
  fromWireItem,
  fromWireState,
  type HistoryItem,
  type HistoryPage,
  type WireItem,
  type WireState,
} from './history.ts';
import { sendJson } from './http.ts';
import type { Settings } from './options.ts';

/** Which conversation, and how much of it at once. */
export interface ReadOptions {
  readonly conversationId: string;
  /** Items of a page, 1 to 100. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

// Under REST's names, so that both doors are read by the same code.
export const ITEM_FIELDS = `id type created_at: createdAt
... on Message { role content { type ... on TextPart { text } ... on FilePart { mime_type: mimeType file_uri: fileUri }
  ... on DataPart { mime_type: mimeType data } } }
... on Call { name call_id: callId status summary }
... on ClientToolCall { arguments output }
... on ConversationCompletion { summary }`;

export const STATE_FIELDS = `conversation_status: status run { run_id: runId run_status: status }
pending_client_actions: pendingActions { call_id: callId name arguments }
tool_summary: toolSummary { name type status }`;

/** The document of a page that is followed. */
export const PAGE = `query ($id: UUID!, $deployment: UUID!, $limit: Int!) {
  conversation(conversationId: $id, deploymentId: $deployment) {
    ${STATE_FIELDS} history(last: $limit) { nodes { ${ITEM_FIELDS} } nextCursor followCursor } } }`;

/** A conversation's state as the documents above select it. */
export interface GraphState extends Omit<WireState, 'run_id' | 'run_status'> {
  readonly run: Pick<WireState, 'run_id' | 'run_status'> | null;
}

export function fromGraphState({ run, ...state }: GraphState) {
  return fromWireState({ ...state, run_id: run?.run_id ?? null, run_status: run?.run_status ?? null });
}

interface GraphPage {
  readonly data?: {
    readonly conversation:
      | (GraphState & {
          readonly history: {
            readonly nodes: readonly WireItem[];
            readonly nextCursor: string | null;
            readonly followCursor: string;
          };
        })
      | null;
  } | null;
}

/** The newest page with the place where its feed goes on, over GraphQL. @throws {ParleyError} */
export async function readFollowedPage(settings: Settings, options: ReadOptions): Promise<HistoryPage> {
  const { conversationId, limit, signal } = options;
  const variables = { id: conversationId, deployment: settings.deploymentId(), limit };
  const body = { query: PAGE, variables };
  const answer = await sendJson<GraphPage>(settings, { method: 'POST', path: '/graphql', body, reads: true, signal });
  const { history, ...state } = answer.data?.conversation ?? {};
  // The service answers with an error where there is none.
  if (!history) throw new ParleyError({ code: 'invalid_response', message: 'The answer holds no conversation.' });
  return {
    items: history.nodes.map(fromWireItem),
    nextCursor: history.nextCursor,
    followCursor: history.followCursor,
    state: fromGraphState(state as GraphState),
  };
}

interface WirePage extends WireState {
  readonly items: readonly WireItem[];
  readonly next_cursor: string | null;
}

/** A page of the v2 history: the newest, or the one behind a cursor. @throws {ParleyError} */
export async function readPage(
  settings: Settings,
  { conversationId, limit, signal, cursor }: ReadOptions & { readonly cursor?: string | undefined },
): Promise<HistoryPage> {
  const path = `/v2/runner/${settings.deploymentId()}/conversation/${encodeURIComponent(conversationId)}/history`;
  const wire = await sendJson<WirePage>(settings, { method: 'GET', path, query: { limit, cursor }, signal });
  return {
    items: wire.items.map(fromWireItem),
    nextCursor: wire.next_cursor,
    followCursor: null,
    state: fromWireState(wire),
  };
}

/** A page with those behind it, down to an item that is known: so that nothing is left out between. */
export async function readDownTo(
  settings: Settings,
  options: ReadOptions & { readonly page: HistoryPage; readonly known: string | undefined },
): Promise<HistoryPage> {
  const { page, known, ...rest } = options;
  let items: readonly HistoryItem[] = page.items;
  let nextCursor = page.nextCursor;
  while (known !== undefined && nextCursor !== null && (items[0]?.id ?? known) > known) {
    const older = await readPage(settings, { ...rest, cursor: nextCursor });
    items = [...older.items, ...items];
    nextCursor = older.nextCursor;
  }
  return { ...page, items, nextCursor };
}
