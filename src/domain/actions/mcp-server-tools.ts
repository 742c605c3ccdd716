import { Pace } from '../../bounds/pace.ts';
import { LIMITS } from '../../contract/limits.ts';
import { storableText } from '../../contract/storable-text.ts';
import type { Context } from '../context.ts';
import type { Integration } from '../integrations/reads.ts';
import { connectionById } from '../integrations/use.ts';
import { listMcpTools } from './list-mcp-tools.ts';
import { type LeftOutTool, McpError, type McpTool } from './mcp-port.ts';
import { mcpToolProblem } from './mcp-tool-problem.ts';

/** What an MCP server offers now. */
export interface McpServerTools {
  readonly tools: readonly Pick<McpTool, 'name' | 'isReadOnly'>[];
  readonly leftOut: readonly LeftOutTool[];
  /** Why the server gave no list, or only a part of it. Null: it gave all its tools. */
  readonly problem: string | null;
}

/** Asks the server, unless its list is known. Null: the integration is no connected MCP server. */
export async function readMcpServerTools(ctx: Context, { id, kind }: Integration): Promise<McpServerTools | null> {
  const connection = kind === 'mcp' ? await connectionById(ctx, id) : undefined;
  if (!connection) return null;
  try {
    const list = await listMcpTools(ctx, connection);
    const leftOut = [...list.leftOut];
    const tools: McpTool[] = [];
    // Checking a schema takes milliseconds.
    const pace = new Pace();
    for (const tool of list.tools) {
      await pace.pause();
      const reason = mcpToolProblem(tool);
      if (reason === undefined) tools.push(tool);
      else leftOut.push({ name: tool.name, reason });
    }
    return { tools, leftOut: leftOut.map((one) => ({ ...one, name: shownName(one.name) })), problem: list.problem };
  } catch (error) {
    if (!(error instanceof McpError)) throw error;
    return { tools: [], leftOut: [], problem: error.message };
  }
}

function shownName(name: string): string {
  return storableText(name.slice(0, LIMITS.mcpToolNameLength));
}
