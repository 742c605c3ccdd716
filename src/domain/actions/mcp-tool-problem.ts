import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { storableText } from '../../contract/storable-text.ts';
import { schemaProblem } from '../json-schema/schema-problem.ts';
import type { McpTool } from './mcp-port.ts';

/**
 * Why a tool cannot be offered: no workflow can name it, or its schema exceeds the limits. Undefined: it can be offered. A
 * run stores its tools, and the server knows a tool only by its exact name, so the name must be storable.
 */
export function mcpToolProblem({ name, inputSchema }: McpTool): string | undefined {
  if (name.length > LIMITS.mcpToolNameLength)
    return `Its name has more than ${formatCount(LIMITS.mcpToolNameLength)} characters.`;
  if (storableText(name) !== name) return 'Its name has characters that cannot be stored.';
  const problem = schemaProblem(inputSchema);
  return problem === undefined ? undefined : `Its input schema ${problem}.`;
}
