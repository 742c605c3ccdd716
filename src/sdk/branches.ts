import type {
  ForkedConversation,
  ForkOptions,
  RegeneratedTurn,
  ReplaceOptions,
  SelectedVariant,
  SelectVariantOptions,
} from './branch-api.ts';
import { type ContentInput, toWireContent } from './content.ts';
import { conversationPath, type Request, sendJson } from './http.ts';
import type { Settings } from './options.ts';

interface WireFork {
  readonly conversation_id: string;
  readonly name: string;
  readonly is_fork: boolean;
}

/** The request of `regenerate`. */
export function regenerateRequest(conversationId: string, options: ReplaceOptions & RegeneratedTurn): Request {
  const { messageId } = options;
  const body = { ...replaceBody(options), message_id: messageId == null ? undefined : String(messageId) };
  return { method: 'POST', path: conversationPath(conversationId, 'regenerate'), body };
}

/** The request of `edit`. */
export function editRequest(
  conversationId: string,
  messageId: number | string,
  content: ContentInput,
  options: ReplaceOptions,
): Request {
  const body = { ...replaceBody(options), content: toWireContent(content) };
  return { method: 'PATCH', path: conversationPath(conversationId, 'messages', messageId), body };
}

function replaceBody({ acknowledgeEffects, historyLimit }: ReplaceOptions) {
  return { acknowledge_effects: acknowledgeEffects, history_limit: historyLimit };
}

/** @throws {ParleyError} */
export async function selectVariant(
  settings: Settings,
  conversationId: string,
  messageId: number | string,
  { acknowledgeEffects, signal, idempotencyKey: key }: SelectVariantOptions = {},
): Promise<SelectedVariant> {
  const path = conversationPath(conversationId, 'messages', messageId, 'select');
  const body = { acknowledge_effects: acknowledgeEffects };
  const wire = await sendJson<WireFork>(settings, { method: 'POST', path, body, key, signal });
  return { conversationId: wire.conversation_id, name: wire.name, isFork: wire.is_fork };
}

/** @throws {ParleyError} */
export async function forkConversation(
  settings: Settings,
  conversationId: string,
  itemId: number | string | null | undefined,
  { deploymentId, workflowVersion, meta, signal, idempotencyKey: key }: ForkOptions = {},
): Promise<ForkedConversation> {
  const path = conversationPath(conversationId, 'fork');
  const item_id = itemId == null ? undefined : String(itemId);
  const body = { item_id, deployment_id: deploymentId, workflow_version: workflowVersion, meta };
  const wire = await sendJson<WireFork>(settings, { method: 'POST', path, body, key, signal });
  return { conversationId: wire.conversation_id, name: wire.name };
}
