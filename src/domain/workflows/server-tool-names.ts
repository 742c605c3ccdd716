import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { BUILT_IN_TOOLS } from '../../contract/tool-names.ts';
import type { WorkflowConfig } from './config.ts';

type ToolConfig = Pick<WorkflowConfig, 'clientTools' | 'httpActions' | 'mcpServers' | 'resourceTools'>;

/** What the names of an MCP server's tools begin with. */
export function mcpPrefix(server: string): string {
  return `${server}_`;
}

/** Whether the server runs a tool of this name itself, or may come to when an MCP server has it. */
export function isServerTool({ httpActions, mcpServers, resourceTools }: ToolConfig, name: string): boolean {
  return (
    httpActions.some((action) => action.name === name) ||
    resourceTools.some((tool) => tool === name) ||
    mcpServers.some((server) => name.startsWith(mcpPrefix(server.name)))
  );
}

/**
 * Holds every tool to a name of its own. Tools of MCP servers are not known here, so what their names begin with is
 * theirs alone.
 * @throws {ServiceError} invalid_request
 */
export function requireOwnNames(config: ToolConfig): void {
  const { clientTools, httpActions, mcpServers, resourceTools } = config;
  const taken = new Set(clientTools.map(({ name }) => name));
  for (const [index, tool] of resourceTools.entries()) {
    if (taken.has(tool)) throw nameTaken(['resourceTools', index], `a client tool is called ${tool}`);
  }
  for (const [index, { name }] of httpActions.entries()) {
    const path = ['httpActions', index, 'name'];
    if (BUILT_IN_TOOLS.includes(name)) throw nameTaken(path, `${name} is a built-in tool`);
    if (taken.has(name)) throw nameTaken(path, `another tool is called ${name}`);
    taken.add(name);
  }
  const names = [...taken, ...BUILT_IN_TOOLS];
  for (const [index, server] of mcpServers.entries()) {
    const prefix = mcpPrefix(server.name);
    const path = ['mcpServers', index, 'name'];
    const inside = names.find((name) => name.startsWith(prefix));
    if (inside) throw nameTaken(path, `its tools are called ${prefix}…, as ${inside} is`);
    const other = mcpServers.find((one, place) => place !== index && mcpPrefix(one.name).startsWith(prefix));
    if (other) throw nameTaken(path, `its tools are called ${prefix}…, as those of ${other.name} may be`);
  }
}

function nameTaken(path: FieldPath, why: string): ServiceError {
  return new ServiceError('invalid_request', `{param} cannot be used: ${why}.`, { param: ['draft', ...path] });
}
