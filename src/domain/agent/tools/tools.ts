import { Pace } from '../../../bounds/pace.ts';
import { DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { ServiceError } from '../../../contract/errors.ts';
import { loadActions } from '../../actions/load-actions.ts';
import { sortedByName } from '../../actions/offered-action.ts';
import { withReadFile } from '../../actions/read-file.ts';
import type { Context } from '../../context.ts';
import { schemaProblem } from '../../json-schema/schema-problem.ts';
import type { WorkflowConfig } from '../../workflows/config.ts';
import type { PublishedDeployment, RunnableWorkflow } from '../../workflows/deployments.ts';
import { isServerTool } from '../../workflows/server-tool-names.ts';
import { builtInClientTool, COMPLETE_CONVERSATION, HAND_OVER } from './built-in-tools.ts';
import type { OfferedTool } from './offered-tool.ts';

/** A client tool that the request lists as available. */
export interface ClientCapability {
  readonly name: string;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

/**
 * Lists the tools of an agent turn, by name: the deployment's client tools that are always available or advertised,
 * tools that the request defines, server actions, and complete_conversation, hand_over and read_file if the deployment allows
 * them.
 * @throws {ServiceError} invalid_request if the schema of an advertised tool is not valid
 */
export async function offeredTools(
  ctx: Context,
  deployment: RunnableWorkflow & Pick<PublishedDeployment, 'dynamicClientTools'>,
  capabilities: readonly ClientCapability[],
): Promise<OfferedTool[]> {
  const { config } = deployment;
  const advertised = new Map(capabilities.map((capability) => [capability.name, capability]));
  const configured = config.clientTools
    .filter(({ name, availability }) => availability === 'always' || advertised.has(name))
    .map((tool) => clientTool(tool, deployment.dynamicClientTools ? advertised.get(tool.name) : undefined));
  const configuredNames = new Set(config.clientTools.map(({ name }) => name));
  // A request can contain 64 schemas.
  const pace = new Pace();
  for (const [index, capability] of capabilities.entries()) {
    await pace.pause();
    checkCapability(capability, index);
  }
  const dynamic = capabilities.flatMap((capability, index) => {
    if (configuredNames.has(capability.name) || !deployment.dynamicClientTools) return [];
    if (capability.inputSchema && isServerTool(config, capability.name)) throw serverRuns(capability.name, index);
    return dynamicTool(capability);
  });
  const completion = config.allowConversationCompletion ? [COMPLETE_CONVERSATION] : [];
  const tools = [...configured, ...dynamic, ...(await loadActions(ctx, deployment)), ...completion];
  return sortedByName(withReadFile(config, [...tools, ...handOver(config)]));
}

/** Lists the tools of a v1 turn: those that the server runs. */
export async function serverTools(ctx: Context, deployment: RunnableWorkflow): Promise<OfferedTool[]> {
  const { config } = deployment;
  return sortedByName(withReadFile(config, [...(await loadActions(ctx, deployment)), ...handOver(config)]));
}

function handOver({ allowHandOver }: WorkflowConfig): OfferedTool[] {
  return allowHandOver ? [HAND_OVER] : [];
}

function clientTool(
  { name, description, inputSchema }: WorkflowConfig['clientTools'][number],
  advertised: ClientCapability | undefined,
): OfferedTool {
  const builtIn = builtInClientTool(name);
  if (builtIn) return { ...builtIn, description: description || builtIn.description };
  return { kind: 'client_tool', name, description, inputSchema: inputSchema ?? advertised?.inputSchema ?? ANY_OBJECT };
}

/** A bare name that is not configured says nothing about its arguments, so it is ignored. */
function dynamicTool({ name, inputSchema }: ClientCapability): OfferedTool[] {
  if (!inputSchema) return [];
  const builtIn = builtInClientTool(name);
  const description =
    typeof inputSchema.description === 'string' ? inputSchema.description : `Runs ${name} in the client.`;
  return [builtIn ?? { kind: 'client_tool', name, description, inputSchema }];
}

function checkCapability({ name, inputSchema }: ClientCapability, index: number): void {
  if (name === COMPLETE_CONVERSATION.name || (DECISION_TOOLS.includes(name) && inputSchema))
    throw serverRuns(name, index);
  if (!inputSchema) return;
  const problem = schemaProblem(inputSchema);
  const param = ['clientCapabilities', index, 'tool', 'inputSchema'];
  if (problem) throw new ServiceError('invalid_request', `{param} ${problem}.`, { param });
}

function serverRuns(name: string, index: number): ServiceError {
  const param = ['clientCapabilities', index];
  return new ServiceError('invalid_request', `{param} must not be ${name}, which the server runs.`, { param });
}
