import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { BUILT_IN_TOOLS } from '../../contract/tool-names.ts';
import type { WorkflowConfig } from './config.ts';

type ToolConfig = Pick<WorkflowConfig, 'clientTools' | 'httpActions' | 'mcpServers' | 'resourceTools'>;

/** The prefix of the tool names of an MCP server. */
export function mcpPrefix(server: string): string {
  return `${server}_`;
}

/** Whether the name belongs to a tool of the server, or to a possible tool of an MCP server. */
export function isServerTool({ httpActions, mcpServers, resourceTools }: ToolConfig, name: string): boolean {
  return (
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
  const { clientTools, httpActions, mcpServers, resourceTools } = config;
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
  const names = [...taken, ...BUILT_IN_TOOLS];
  for (const [index, server] of mcpServers.entries()) {
    const prefix = mcpPrefix(server.name);
    const path = ['mcpServers', index, 'name'];
    const inside = names.find((name) => name.startsWith(prefix));
    if (inside) throw nameTaken(path, `its tool names start with ${prefix}, and so does ${inside}`);
    const other = mcpServers.find((one, place) => place !== index && mcpPrefix(one.name).startsWith(prefix));
    if (other) throw nameTaken(path, `its tool names start with ${prefix}, and so can those of ${other.name}`);
  }
}

function nameTaken(path: FieldPath, reason: string): ServiceError {
  return new ServiceError('invalid_request', `{param} cannot be used: ${reason}.`, { param: ['draft', ...path] });
}
