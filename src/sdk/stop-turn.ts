import { conversationPath, sendJson } from './http.ts';
import type { Settings } from './options.ts';

/** Stops the turn of a conversation on the server. Resolves when the run has ended. @throws {ParleyError} */
export async function stopTurn(settings: Settings, conversationId: string, signal: AbortSignal): Promise<void> {
  const path = conversationPath(conversationId, 'stop');
  await sendJson(settings, { method: 'POST', path, body: {}, isRepeatable: true, signal });
}
