import { DECISION_TOOLS } from '../../../contract/client-tools.ts';
import { ServiceError } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { type PublishedDeployment, publishedDeployment } from '../../workflows/deployments.ts';
import { parseCapabilities } from './agent-input.ts';

/** An advertised client tool that no turn of the deployment offers, so that its handler never runs. */
export interface IgnoredTool {
  readonly name: string;
  /** Says what to do. */
  readonly reason: string;
}

/** The ignored tools of a turn. Null: no tool is ignored, or the deployment was unpublished meanwhile. */
export async function ignoredTools(ctx: Context, deploymentId: string, input: object): Promise<IgnoredTool[] | null> {
  const capabilities = parseCapabilities(input);
  if (capabilities.length === 0) return null;
  const deployment = await publishedDeployment(ctx, deploymentId).catch(nullIfNotFound);
  if (!deployment) return null;
  const defined = deployment.config.clientTools.map(({ name }) => name);
  const offered = new Set([...defined, ...DECISION_TOOLS]);
  const { dynamicClientTools } = deployment;
  const advice = dynamicClientTools
    ? 'Add it to the workflow, or send its schema.'
    : 'Add it to the workflow. This deployment accepts no tools that clients define.';
  const list = defined.join(', ') || 'no client tool';
  const reason = `The workflow does not define this client tool, so its handler never runs. It defines: ${list}. ${advice}`;
  const ignored = capabilities.filter(
    ({ name, inputSchema }) => !offered.has(name) && !(inputSchema && dynamicClientTools),
  );
  return ignored.length > 0 ? ignored.map(({ name }) => ({ name, reason })) : null;
}

function nullIfNotFound(error: unknown): PublishedDeployment | null {
  if (error instanceof ServiceError && error.code === 'not_found') return null;
  throw error;
}
