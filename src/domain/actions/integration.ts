import type { IntegrationKind } from '../../contract/statuses.ts';
import type { Context } from '../context.ts';
import { type ConnectedIntegration, connectedIntegration } from '../integrations/use.ts';
import { ActionFailure } from './failure.ts';

/** The integration that a workflow names, in the environment that the run acts in. @throws {ActionFailure} */
export async function requireIntegration(
  ctx: Context,
  kind: IntegrationKind,
  name: string,
): Promise<ConnectedIntegration> {
  const found = await connectedIntegration(ctx, kind, name);
  if (found) return found;
  throw new ActionFailure(`No integration "${name}" is connected in the ${ctx.environment.kind} environment.`);
}
