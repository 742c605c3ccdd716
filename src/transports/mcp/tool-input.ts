import { ServiceError } from '../../contract/errors.ts';
import { snakeCase } from '../../contract/snake-case.ts';
import type { RouteInput } from '../../rest/bind.ts';
import { argumentName, argumentOf } from './input-schema.ts';
import type { Tool } from './tool.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The arguments of a call as the request that the REST path would get. */
export function routeInput({ route }: Tool, args: Arguments): RouteInput {
  const { parameters, directive } = route;
  const params: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  for (const { name, in: place } of parameters) {
    const value = args[argumentName(name)];
    if (value === undefined || value === null || place === 'header') continue;
    if (place === 'path') params[name] = textOf(value);
    else query[name] = Array.isArray(value) ? value.map(textOf) : textOf(value);
  }
  const { others, keyed } = directive;
  if (others) Object.assign(query, texts(others, args));
  if (keyed) for (const [key, value] of Object.entries(texts(keyed, args))) query[`${keyed}[${key}]`] = value;
  const body = bodyOf(route, args);
  // Express's `get` has a second form for `set-cookie`, which no document reads.
  const get = ((name: string) => headerOf(args, name)) as RouteInput['get'];
  return { params, query: query as RouteInput['query'], body, get };
}

/** What is left for the body. A tool without a body has no further arguments. @throws {ServiceError} invalid_request */
function bodyOf({ parameters, directive, body }: Tool['route'], args: Arguments): object {
  const taken = new Set([
    ...parameters.map(({ name }) => argumentName(name)),
    'idempotency_key',
    ...[directive.others, directive.keyed].filter((name) => name !== undefined),
  ]);
  const rest = Object.entries(args).filter(([name]) => !taken.has(name));
  const [unknown] = rest;
  if (unknown && !body) {
    throw new ServiceError('invalid_request', '{param} is not an argument of this tool.', { param: [unknown[0]] });
  }
  return Object.fromEntries(rest);
}

function headerOf(args: Arguments, name: string): string | undefined {
  const argument = snakeCase(argumentName(name));
  const value = argument === 'prefer' ? undefined : args[argument];
  return value === undefined || value === null ? undefined : textOf(value);
}

/** Parameters of a URL are text. The input stage reads numbers from them and rejects everything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** @throws {ServiceError} invalid_request */
function texts(name: string, args: Arguments): Record<string, string> {
  const value = args[name] ?? {};
  const isText = (one: unknown) => typeof one === 'string';
  if (typeof value === 'object' && !Array.isArray(value) && Object.values(value).every(isText))
    return value as Record<string, string>;
  throw new ServiceError('invalid_request', '{param} must be an object of texts.', { param: [name] });
}

/** The arguments of a call as the variables of a published document. @throws {ServiceError} invalid_request */
export function publishedArguments({ route }: Tool, args: Arguments) {
  const variableOf = new Map(route.parameters.map((parameter) => [argumentOf(parameter), parameter.variable]));
  const { idempotency_key: key, ...values } = args;
  const takesKey = route.method === 'post';
  const unknown = Object.keys(takesKey ? values : args).find((name) => !variableOf.has(name));
  if (unknown !== undefined) {
    throw new ServiceError('invalid_request', '{param} is not an argument of this tool.', { param: [unknown] });
  }
  const variables = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [variableOf.get(name) ?? name, value]),
  );
  return { variables: () => variables, key: key === undefined || key === null ? undefined : textOf(key) };
}
