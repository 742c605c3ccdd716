import type { Request } from 'express';
import { type ExecutionResult, type GraphQLSchema, getNamedType, OperationTypeNode, subscribe } from 'graphql';
import { ServiceError } from '../contract/errors.ts';
import { UUID_PATTERN } from '../contract/ids.ts';
import { type Compiled, compile } from '../graphql/compiled.ts';
import type { GraphContext } from '../graphql/context.ts';
import { endingWithCaller, isFeed } from '../graphql/feed-end.ts';
import { requireAccess } from '../graphql/field-scope.ts';
import { requireAddressed } from '../graphql/path-ids.ts';
import { inTime } from '../graphql/time-limit.ts';
import { checkVariables } from '../graphql/variables.ts';
import { bindVariables, type Variables } from './bind.ts';
import type { Route } from './route.ts';
import { headersOf, reshape } from './shape.ts';

/** What a route answers, beside its status. */
export interface RouteAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Runs a route's document as its caller; a read within `timeoutMs`. Whatever goes wrong is thrown, in the order of
 * WIRE 3: credentials, the ids in the path, the body, the state.
 */
export async function executeRoute(
  schema: GraphQLSchema,
  route: Route,
  request: Request,
  contextValue: GraphContext,
  timeoutMs: number,
): Promise<RouteAnswer> {
  const variableValues = await admit(schema, route, request, contextValue);
  const execution = Promise.resolve(compiledOf(schema, route)(variableValues, contextValue));
  const isRead = route.operation.operation === OperationTypeNode.QUERY;
  const result = await (isRead ? inTime(contextValue, timeoutMs, execution) : execution);
  const body = bodyOf(route, result);
  return { headers: headersOf(result.data, route.shape), body };
}

const compiled = new WeakMap<Route, Compiled>();

/** Compiled at its first use: the documents are the service's own, few, and the same for as long as it runs. */
function compiledOf(schema: GraphQLSchema, route: Route): Compiled {
  const known = compiled.get(route);
  if (known) return known;
  const made = compile(schema, route.document, route.operation.name?.value);
  if (!made) throw new Error(`${route.name} cannot be compiled.`);
  compiled.set(route, made);
  return made;
}

/**
 * Opens a subscription's document: its events as REST bodies. Ended at once by `return`, also while an event is
 * waited for, which is why this is no generator.
 */
export async function subscribeRoute(
  schema: GraphQLSchema,
  route: Route,
  request: Request,
  contextValue: GraphContext,
): Promise<AsyncIterableIterator<unknown>> {
  const variableValues = await admit(schema, route, request, contextValue);
  const source = await subscribe({ schema, document: route.document, variableValues, contextValue });
  if (!(Symbol.asyncIterator in source))
    throw source.errors?.[0] ?? new Error('a subscription answered without a stream');
  const results = endingWithCaller(source, contextValue, isFeed(route.field));
  const events: AsyncIterableIterator<unknown> = {
    async next() {
      const { done, value } = await results.next();
      return done ? { done, value: undefined } : { done: false, value: bodyOf(route, value) };
    },
    async return() {
      await results.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => events,
  };
  return events;
}

function bodyOf(route: Route, result: ExecutionResult): unknown {
  const [error] = result.errors ?? [];
  if (error) throw error;
  const data = reshape(result.data, route.shape) as Record<string, unknown>;
  return route.directive.unwrap ? data[route.responseKey] : data;
}

/** The ids in the path. A malformed one is nothing that is open to anybody. */
export function addressOf({ params }: Request) {
  const id = (name: string) => {
    const value = params[name]?.toString().toLowerCase();
    return value !== undefined && UUID_PATTERN.test(value) ? value : undefined;
  };
  return { deploymentId: id('deployment_id'), conversationId: id('conversation_id') };
}

/** Credentials, then input: what has to be right before anything runs. */
async function admit(schema: GraphQLSchema, route: Route, request: Request, context: GraphContext): Promise<Variables> {
  await requireAccess(route.access, context, addressOf(request));
  return checkedVariables(schema, route, request, context);
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
    if (error instanceof ServiceError && !blamesPath(route, error)) await requirePathIds(route, request, context);
    throw error;
  }
}

function blamesPath(route: Route, { details }: ServiceError): boolean {
  return route.parameters.some((parameter) => parameter.in === 'path' && parameter.name === details.param?.[0]);
}

/** Ids of the path come before the body: an unknown one is 404 even where the body is wrong too. */
async function requirePathIds(route: Route, request: Request, context: GraphContext): Promise<void> {
  const id = (name: string) => {
    const value = request.params[name];
    if (typeof value !== 'string') return undefined;
    if (UUID_PATTERN.test(value.toLowerCase())) return value;
    throw new ServiceError('invalid_request', '{param} must be a UUID.', { param: [name] });
  };
  const deploymentId = id('deployment_id');
  const conversationId = id('conversation_id');
  const { workflow_id: workflow } = request.params;
  const workflowId = typeof workflow === 'string' && /^\d+$/.test(workflow) ? Number(workflow) : undefined;
  const resourceId = getNamedType(route.field.type).name === 'Resource' ? request.params.id : undefined;
  await requireAddressed(context, {
    ...(deploymentId !== undefined && { deploymentId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(workflowId !== undefined && { workflowId }),
    ...(typeof resourceId === 'string' && { resourceId }),
  });
}
