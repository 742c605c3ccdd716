import type { IntegrationKind } from '../../contract/statuses.ts';
import type { Context } from '../context.ts';
import { type ConnectedIntegration, connectedIntegration } from '../integrations/use.ts';
import { ActionError } from './action-error.ts';

/** Finds the integration that a workflow names, in the run's environment. @throws {ActionError} */
export async function requireIntegration(
  ctx: Context,
  kind: IntegrationKind,
  name: string,
): Promise<ConnectedIntegration> {
  const integration = await connectedIntegration(ctx, kind, name);
  if (integration) return integration;
  throw new ActionError(`No integration "${name}" is connected in the ${ctx.environment.kind} environment.`);
}
