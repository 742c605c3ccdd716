import type { Request } from 'express';
import { GraphQLInt, isListType } from 'graphql';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { restPath, toInput } from './names.ts';
import type { Parameter, Route } from './route.ts';

export type Variables = Record<string, unknown>;

/** The document's variables, by name, from the path, the query, the headers and the body. */
export function bindVariables(route: Route, request: Request): Variables {
  const variables: Variables = {};
  for (const parameter of route.parameters) {
    const value = sent(parameter, request);
    if (value !== undefined) variables[parameter.variable] = parse(parameter, value);
  }
  const { others } = route.directive;
  if (others) variables[others] = otherQueries(route, request);
  if (route.body) variables[route.body.variable] = toInput(bodyOf(request), route.body.type);
  return variables;
}

function sent({ name, in: place }: Parameter, request: Request): unknown {
  if (place === 'header') return request.get(name);
  const source: Record<string, unknown> = place === 'path' ? request.params : request.query;
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** Every query name that no variable takes, with its text. */
function otherQueries({ parameters }: Route, request: Request): Variables {
  const taken = new Set(parameters.map(({ name }) => name));
  const others: Variables = {};
  for (const [name, value] of Object.entries(request.query)) {
    if (!taken.has(name)) others[name] = onlyText(name, value);
  }
  return others;
}

function bodyOf(request: Request): object {
  // A request without a body is one with nothing in it; `null` is a body, and none of ours.
  const body: unknown = request.body === undefined ? {} : request.body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new ServiceError('invalid_request', 'The body must be a JSON object.');
}

/** Text of a path or query as its variable's type. What does not parse is left for the type to refuse. */
function parse({ name, type, namedType }: Parameter, value: unknown): unknown {
  // A list is its name given once for each item.
  if (isListType(type)) return [value].flat();
  const text = onlyText(name, value);
  return namedType === GraphQLInt && /^-?\d+$/.test(text) ? Number(text) : text;
}

function onlyText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ServiceError('invalid_request', '{param} must be given once.', { param: [name] });
}

/** The name that REST gives to a field which GraphQL or the domain blames. */
export function nameField(route: Route, path: FieldPath): string {
  const [first, ...rest] = path;
  const variable = typeof first === 'string' ? route.variableOfArgument.get(first) : undefined;
  if (variable !== undefined) return restPath([wireName(route, variable), ...rest], undefined);
  if (typeof first === 'string') return restPath([wireName(route, first), ...rest], route.body?.type);
  return restPath(path, route.body?.type);
}

/** A variable's name in the request. */
function wireName({ parameters }: Route, variable: string): string {
  return parameters.find((parameter) => parameter.variable === variable)?.name ?? variable;
}
