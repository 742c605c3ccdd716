import { canAskForScopes, type StepUp, stepUpFor } from '../../operation/apps/step-up.ts';
import type { Message } from './message.ts';
import { DOCUMENTS_READ } from './own-tool.ts';
import type { Incoming, McpParts } from './parts.ts';
import { publishedTool } from './published-tools.ts';
import { TASK_ACCESS } from './task-document.ts';
import type { UsedFields } from './tool.ts';

/** The scopes that an app has to ask its person for before the message can be handled. */
export async function stepUpOf(
  parts: McpParts,
  incoming: Pick<Incoming, 'opened' | 'message' | 'deploymentId'>,
): Promise<StepUp | undefined> {
  const { opened } = incoming;
  if (!canAskForScopes(opened)) return undefined;
  const fields = await fieldsOf(parts, incoming);
  return (
    fields &&
    stepUpFor(
      opened,
      fields.roots.map(({ access }) => access),
    )
  );
}

/** The root fields that a message uses. Undefined if it uses no field, or names no tool. */
async function fieldsOf(
  parts: McpParts,
  { opened, message, deploymentId }: Pick<Incoming, 'opened' | 'message' | 'deploymentId'>,
): Promise<UsedFields | undefined> {
  const { method, params } = (message as Message | undefined) ?? {};
  if (typeof method === 'string' && method.startsWith('tasks/')) return TASK_ACCESS;
  if (method !== 'tools/call' || typeof params?.name !== 'string') return undefined;
  const { name } = params;
  if (parts.ownTools.has(name)) return DOCUMENTS_READ;
  const tool = parts.turnTools.get(name) ?? parts.tools.get(name);
  if (tool) return tool.route;
  // The address of a deployment has no documents.
  if (deploymentId !== undefined) return undefined;
  // The call reports why a document cannot run.
  const published = await publishedTool(parts, opened, name).catch(() => undefined);
  return published?.tool.route;
}
