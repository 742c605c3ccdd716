import { ServiceError } from '../contract/errors.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import type { OperationContext } from '../operation/context.ts';
import { requireExisting } from '../operation/existing-ids.ts';
import { triggerIdOf } from '../operation/plan.ts';
import { uuidOf } from '../operation/uuid.ts';
import type { RouteInput } from './bind.ts';
import type { Route } from './route.ts';

/**
 * The IDs in the path, body or query of a runner request. The path decides if it has one: a second ID could name a
 * deployment that is open to everyone. Malformed IDs are left to the input stage.
 */
export function addressOf(route: Route, request: RouteInput): RunnerAddress {
  const { params, body } = request;
  // A label can be named like an ID.
  const query = route.directive.others ? {} : request.query;
  const {
    conversation_id: conversationId,
    trigger_id: triggerId,
    deployment_id: deploymentId,
  } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const hasPath = params.deployment_id !== undefined || params.conversation_id !== undefined;
  const elsewhere = hasPath
    ? {}
    : { deployment_id: deploymentId ?? query.deployment_id, conversation_id: query.conversation_id };
  return {
    deploymentId: uuidOf(params.deployment_id ?? elsewhere.deployment_id),
    conversationId: uuidOf(params.conversation_id ?? conversationId ?? elsewhere.conversation_id),
    triggerId: triggerIdOf(triggerId),
  };
}

/**
 * Looks up the IDs of the path. Called when the input is invalid, because 404 takes precedence over 400.
 * @throws {ServiceError} not_found, invalid_request
 */
export async function requirePathIds(
  route: Route,
  { params }: Pick<RouteInput, 'params'>,
  context: OperationContext,
): Promise<void> {
  const id = (name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || uuidOf(value)) return value?.toString();
    throw new ServiceError('invalid_request', '{param} must be a UUID.', { param: [name] });
  };
  const deploymentId = id('deployment_id');
  const conversationId = id('conversation_id');
  const { workflow_id: workflow } = params;
  const workflowId = typeof workflow === 'string' && /^\d+$/.test(workflow) ? Number(workflow) : undefined;
  if (typeof workflow === 'string' && workflowId === undefined) {
    throw new ServiceError('invalid_request', '{param} must be a whole number.', { param: ['workflow_id'] });
  }
  const resourceId = route.path.startsWith('/v1/resources/') ? params.id : undefined;
  await requireExisting(context, {
    ...(deploymentId !== undefined && { deploymentId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(workflowId !== undefined && { workflowId }),
    ...(typeof resourceId === 'string' && { resourceId }),
  });
}
