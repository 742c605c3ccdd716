import type { Incoming } from './parts.ts';
import type { Tool } from './tool.ts';
import type { Arguments } from './tool-input.ts';

const NAME = 'deployment_id';

/** A tool at the address of a deployment: the address names it, so the tool has no argument for it. */
export function withoutDeployment<Listed extends Pick<Tool, 'inputSchema'>>(tool: Listed): Listed {
  const { properties = {}, required = [], ...schema } = tool.inputSchema;
  if (!Object.hasOwn(properties, NAME)) return tool;
  const { [NAME]: _own, ...others } = properties;
  const inputSchema = { ...schema, properties: others, required: required.filter((name) => name !== NAME) };
  return { ...tool, inputSchema };
}

/** The arguments of a call at the address of a deployment, with the deployment. Another deployment is out of reach. */
export function atDeployment(
  { deploymentId }: Pick<Incoming, 'deploymentId'>,
  tool: Pick<Tool, 'inputSchema'> | undefined,
  args: Arguments,
): Arguments {
  const hasDeployment = tool !== undefined && Object.hasOwn(tool.inputSchema.properties ?? {}, NAME);
  return deploymentId === undefined || !hasDeployment ? args : { [NAME]: deploymentId, ...args };
}
