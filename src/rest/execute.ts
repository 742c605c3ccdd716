import type { Request } from 'express';
import { execute, type GraphQLSchema } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import type { GraphContext } from '../graphql/context.ts';
import { requireAddressed } from '../graphql/path-ids.ts';
import { checkVariables } from '../graphql/variables.ts';
import { bindVariables, type Variables } from './bind.ts';
import type { Route } from './route.ts';
import { reshape } from './shape.ts';

/**
 * Runs a route's document as its caller and answers the REST body. Whatever goes wrong is thrown, in the order of
 * WIRE 3: credentials, the ids in the path, the body, the state.
 */
export async function executeRoute(
  schema: GraphQLSchema,
  route: Route,
  request: Request,
  context: GraphContext,
): Promise<unknown> {
  if (route.scope) context.requireScope(route.scope);
  const variables = await checkedVariables(schema, route, request, context);
  const result = await execute({
    schema,
    document: route.document,
    variableValues: variables,
    contextValue: context,
  });
  const [error] = result.errors ?? [];
  if (error) throw error;
  const data = reshape(result.data, route.shape) as Record<string, unknown>;
  return route.directive.unwrap ? data[route.responseKey] : data;
}

async function checkedVariables(
  schema: GraphQLSchema,
  route: Route,
  request: Request,
  context: GraphContext,
): Promise<Variables> {
  try {
    const variables = bindVariables(route, request);
    checkVariables(schema, route.operation, variables);
    return variables;
  } catch (error) {
    if (error instanceof ServiceError && !blamesPath(route, error)) await requirePathIds(request, context);
    throw error;
  }
}

function blamesPath(route: Route, { details }: ServiceError): boolean {
  return route.parameters.some((parameter) => parameter.in === 'path' && parameter.name === details.param?.[0]);
}

/** Ids of the path come before the body: an unknown one is 404 even where the body is wrong too. */
async function requirePathIds(request: Request, context: GraphContext): Promise<void> {
  const id = (name: string) => {
    const value = request.params[name];
    if (typeof value !== 'string') return undefined;
    if (UUID_PATTERN.test(value.toLowerCase())) return value;
    throw new ServiceError('invalid_request', '{param} must be a UUID.', { param: [name] });
  };
  const deploymentId = id('deployment_id');
  const conversationId = id('conversation_id');
  await requireAddressed(context, {
    ...(deploymentId !== undefined && { deploymentId }),
    ...(conversationId !== undefined && { conversationId }),
  });
}
