import { ServiceError } from '../../contract/errors.ts';
import type { CallKind } from '../../contract/statuses.ts';
import { type OfferedAction, offeredActions } from '../actions/offered.ts';
import type { Context } from '../context.ts';
import { schemaProblem } from '../json-schema.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import type { PublishedDeployment } from '../workflows/deployments.ts';
import { isServerTool } from '../workflows/server-tool-names.ts';
import { ASK_USER, COMPLETE_CONVERSATION, UPLOAD_DOCUMENT } from './built-in-tools.ts';
import type { ToolDefinition } from './model-port.ts';

/** A tool that a run may call, as it is kept with the run. */
export interface OfferedTool extends ToolDefinition {
  readonly kind: CallKind;
  readonly source?: NonNullable<OfferedAction['source']>;
}

/** A client tool that a request says is connected (SPEC 4.1 client_capabilities). */
export interface ClientCapability {
  readonly name: string;
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

const ANY_OBJECT = { type: 'object', additionalProperties: true } as const;

/**
 * What an agent turn may call: the deployment's client tools that are always available or advertised, tools that the
 * request brings with a schema of their own, what the server runs, and complete_conversation where the deployment allows it (WIRE 7).
 * @throws {ServiceError} invalid_request where an advertised schema cannot be used
 */
export async function offeredTools(
  ctx: Context,
  deployment: PublishedDeployment,
  capabilities: readonly ClientCapability[],
): Promise<OfferedTool[]> {
  const { config } = deployment;
  const advertised = new Map(capabilities.map((capability) => [capability.name, capability]));
  const configured = config.clientTools
    .filter(({ name, availability }) => availability === 'always' || advertised.has(name))
    .map((tool) => clientTool(tool, deployment.dynamicClientTools ? advertised.get(tool.name) : undefined));
  const known = new Set(config.clientTools.map(({ name }) => name));
  const dynamic = capabilities.flatMap((capability, index) => {
    checkCapability(capability, index);
    if (known.has(capability.name) || !deployment.dynamicClientTools) return [];
    if (capability.inputSchema && isServerTool(config, capability.name)) throw serverRuns(capability.name, index);
    return dynamicTool(capability);
  });
  const completion = config.allowConversationCompletion ? [COMPLETE_CONVERSATION] : [];
  return [...configured, ...dynamic, ...(await offeredActions(ctx, deployment)), ...completion];
}

const BUILT_IN: Readonly<Record<string, OfferedTool>> = {
  [ASK_USER.name]: ASK_USER,
  [UPLOAD_DOCUMENT.name]: UPLOAD_DOCUMENT,
};

function clientTool(
  { name, description, inputSchema }: WorkflowConfig['clientTools'][number],
  advertised: ClientCapability | undefined,
): OfferedTool {
  const builtIn = BUILT_IN[name];
  if (builtIn) return { ...builtIn, description: description || builtIn.description };
  return { kind: 'client_tool', name, description, inputSchema: inputSchema ?? advertised?.inputSchema ?? ANY_OBJECT };
}

/** A bare name that nobody configured says nothing of how to call it, and is passed over. */
function dynamicTool({ name, inputSchema }: ClientCapability): OfferedTool[] {
  if (!inputSchema) return [];
  const builtIn = BUILT_IN[name];
  const description =
    typeof inputSchema.description === 'string' ? inputSchema.description : `Runs ${name} in the client.`;
  return [builtIn ?? { kind: 'client_tool', name, description, inputSchema }];
}

function checkCapability({ name, inputSchema }: ClientCapability, index: number): void {
  if (name === COMPLETE_CONVERSATION.name) throw serverRuns(name, index);
  const problem = inputSchema && schemaProblem(inputSchema);
  const param = ['clientCapabilities', index, 'input_schema'];
  if (problem) throw new ServiceError('invalid_request', `{param} ${problem}.`, { param });
}

function serverRuns(name: string, index: number): ServiceError {
  const param = ['clientCapabilities', index];
  return new ServiceError('invalid_request', `{param} must not be ${name}, which the server runs.`, { param });
}
