import { LIMITS } from '../../contract/limits.ts';
import type { OpenRequest } from '../../operation/operation-request.ts';
import { findPublished, listPublished } from '../../operation/published-documents.ts';
import type { CompiledDocument } from '../../rest/published/compile.ts';
import { requireCompiled } from '../../rest/published/serve.ts';
import type { McpParts } from './parts.ts';
import { isListed, type Tool, toolOf } from './tool.ts';

const tools = new WeakMap<CompiledDocument, Tool>();

function toolOfDocument(document: CompiledDocument): Tool | undefined {
  const known = tools.get(document);
  const { route } = document;
  if (known || !route.tool) return known;
  const tool = toolOf(route.schema, route, route.tool);
  tools.set(document, tool);
  return tool;
}

/** The tool of the caller's document with this name. Documents of other environments are unknown. */
export async function publishedTool(
  { compiler }: McpParts,
  opened: OpenRequest,
  name: string,
): Promise<{ readonly tool: Tool; readonly documentId: string } | undefined> {
  const version = await findPublished(opened, name);
  if (!version) return undefined;
  const tool = toolOfDocument(await requireCompiled(compiler, version));
  return tool && { tool, documentId: version.documentId };
}

/**
 * The tools of the documents that are listed for the caller, in the order of their names. A page is bounded, because schemas can
 * be long. The cursor is the name of the last document of the page before.
 */
export async function publishedPage(
  { compiler }: McpParts,
  opened: OpenRequest,
  cursor: string | undefined,
): Promise<{ readonly tools: Tool[]; readonly nextCursor: string | undefined }> {
  const versions = (await listPublished(opened)).filter(({ name }) => cursor === undefined || name > cursor);
  const page: Tool[] = [];
  let length = 0;
  for await (const document of compiler.compileAll(versions)) {
    const tool = isListed(document.route, opened) && toolOfDocument(document);
    if (!tool) continue;
    if (length > LIMITS.documentToolsLength) return { tools: page, nextCursor: page.at(-1)?.route.name };
    page.push(tool);
    length += JSON.stringify(tool.inputSchema).length + JSON.stringify(tool.outputSchema).length;
  }
  return { tools: page, nextCursor: undefined };
}
