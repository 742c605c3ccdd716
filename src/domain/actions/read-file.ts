import { fileUriOf } from '../../contract/file-uri.ts';
import { READ_FILE_TOOL } from '../../contract/tool-names.ts';
import type { Context } from '../context.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { ActionError } from './action-error.ts';
import type { OfferedAction } from './offered-action.ts';

/** Gives the model a file again that a summary names. */
const READ_FILE: OfferedAction = {
  kind: 'tool',
  name: READ_FILE_TOOL,
  description: 'Opens a file of the earlier conversation again. The summary names its ID.',
  inputSchema: {
    type: 'object',
    properties: { file_id: { type: 'string', description: 'The ID of the file. It begins with file_.' } },
    required: ['file_id'],
    additionalProperties: false,
  },
};

/** The tools of a conversation, with read_file if its workflow allows it. Another tool with this name stays. */
export function withReadFile<Tool extends Pick<OfferedAction, 'name'>>(
  { context, allowFileReading }: WorkflowConfig,
  tools: readonly Tool[],
): (Tool | OfferedAction)[] {
  const isOffered = context === 'compact' && allowFileReading && !tools.some(({ name }) => name === READ_FILE.name);
  return isOffered ? [...tools, READ_FILE] : [...tools];
}

/** Whether it is the tool of the service, not one of the workflow with its name. */
export function isReadFile({ kind, name }: { readonly kind: string; readonly name: string }): boolean {
  return kind === READ_FILE.kind && name === READ_FILE.name;
}

/**
 * The file as a part of a message: a prompt with this result has the file after it. The model knows the ID from a summary,
 * which repeats what users wrote. So it gets only files that the conversation uses.
 * @throws {ActionError}
 */
export async function readFileAgain(
  ctx: Context,
  config: WorkflowConfig,
  conversationId: string | undefined,
  { file_id: id }: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  if (!config.allowFileReading) throw new ActionError('This tool is no longer available.');
  const file =
    conversationId === undefined
      ? null
      : await ctx.db.storedFile.findFirst({
          where: { id: String(id), status: 'ready', uses: { some: { conversationId } } },
          select: { id: true, name: true, mimeType: true },
        });
  if (!file) throw new ActionError('This conversation has no file with this ID.');
  return { name: file.name, content: [{ type: 'url', mime_type: file.mimeType, file_uri: fileUriOf(file.id) }] };
}
