import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { BUILT_IN_TOOLS, HAND_OVER_TOOL } from '../../contract/tool-names.ts';
import type { WorkflowConfig } from './config.ts';

type ToolConfig = Pick<
  WorkflowConfig,
  'clientTools' | 'httpActions' | 'mcpServers' | 'resourceTools' | 'allowHandOver'
>;

/** The prefix of the tool names of an MCP server. */
export function mcpPrefix(server: string): string {
  return `${server}_`;
}

/** Whether the name belongs to a tool of the server, or to a possible tool of an MCP server. */
export function isServerTool(config: ToolConfig, name: string): boolean {
  const { httpActions, mcpServers, resourceTools, allowHandOver } = config;
  return (
    (allowHandOver && name === HAND_OVER_TOOL) ||
    httpActions.some((action) => action.name === name) ||
    resourceTools.some((tool) => tool === name) ||
    mcpServers.some((server) => name.startsWith(mcpPrefix(server.name)))
  );
}

/**
 * Requires unique tool names. The tools of MCP servers are not known here, so no other tool can use their prefix.
 * @throws {ServiceError} invalid_request
 */
export function requireOwnNames(config: ToolConfig): void {
  const { clientTools, httpActions, mcpServers, resourceTools, allowHandOver } = config;
  const taken = new Set(clientTools.map(({ name }) => name));
  for (const [index, tool] of resourceTools.entries()) {
    if (taken.has(tool)) throw nameTaken(['resourceTools', index], `there is a client tool named ${tool}`);
  }
  for (const [index, { name }] of httpActions.entries()) {
    const path = ['httpActions', index, 'name'];
    if (BUILT_IN_TOOLS.includes(name)) throw nameTaken(path, `${name} is a built-in tool`);
    if (taken.has(name)) throw nameTaken(path, `another tool has the name ${name}`);
    taken.add(name);
  }
  requireHandOverName(config, taken);
  const names = [...taken, ...BUILT_IN_TOOLS, ...(allowHandOver ? [HAND_OVER_TOOL] : [])];
  for (const [index, server] of mcpServers.entries()) {
    const prefix = mcpPrefix(server.name);
    const path = ['mcpServers', index, 'name'];
    const inside = names.find((name) => name.startsWith(prefix));
    if (inside) throw nameTaken(path, `its tool names start with ${prefix}, and so does ${inside}`);
    const other = mcpServers.find((one, place) => place !== index && mcpPrefix(one.name).startsWith(prefix));
    if (other) throw nameTaken(path, `its tool names start with ${prefix}, and so can those of ${other.name}`);
  }
}

/** A workflow that does not offer `hand_over` can have a tool of that name. */
function requireHandOverName({ allowHandOver }: ToolConfig, taken: ReadonlySet<string>): void {
  if (allowHandOver && taken.has(HAND_OVER_TOOL)) {
    throw nameTaken(['allowHandOver'], `another tool has the name ${HAND_OVER_TOOL}`);
  }
}

function nameTaken(path: FieldPath, reason: string): ServiceError {
  return new ServiceError('invalid_request', `{param} cannot be used: ${reason}.`, { param: ['draft', ...path] });
}
