import type { Request } from 'express';
import { GraphQLFloat, GraphQLInt, isListType } from 'graphql';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { restPath, snakeCase } from './names.ts';
import type { Parameter, Route } from './route.ts';

export type Variables = Record<string, unknown>;

/** The parts of a request that fill the variables of a document. */
export type RouteInput = Pick<Request, 'params' | 'query' | 'body' | 'get'>;

/** Reads the document's variables from the path, query string, headers and body. */
export function bindVariables(route: Route, request: RouteInput): Variables {
  const variables: Variables = {};
  const ofInput: Parameter[] = [];
  for (const parameter of route.parameters) {
    if (parameter.isInput) ofInput.push(parameter);
    else setValue(variables, parameter.variable, parameter, request);
  }
  const { others, keyed } = route.directive;
  if (others) variables[others] = otherQueries(route, request);
  if (keyed) variables[keyed] = keyedQueries(keyed, request);
  if (route.body) variables[route.body.variable] = inputOf(bodyOf(request), ofInput, request);
  return variables;
}

function setValue(target: Variables, name: string, parameter: Parameter, request: RouteInput): void {
  const value = rawValue(parameter, request);
  if (value !== undefined) target[name] = parse(parameter, value);
}

/** The body with the fields that the path and headers set. The body cannot set them. */
function inputOf(body: object, parameters: readonly Parameter[], request: RouteInput): object {
  if (parameters.length === 0) return body;
  const input: Variables = { ...body };
  for (const parameter of parameters) {
    const name = snakeCase(parameter.variable);
    delete input[name];
    setValue(input, name, parameter, request);
  }
  return input;
}

function rawValue({ name, in: place }: Parameter, request: RouteInput): unknown {
  if (place === 'header') return request.get(name);
  const source: Record<string, unknown> = place === 'path' ? request.params : request.query;
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/** All query parameters that no variable reads. */
function otherQueries({ parameters }: Route, request: RouteInput): Variables {
  const taken = new Set(parameters.map(({ name }) => name));
  // `fromEntries` defines own properties, so a query parameter named `__proto__` is safe.
  return Object.fromEntries(
    Object.entries(request.query).flatMap(([name, value]) => (taken.has(name) ? [] : [[name, onlyText(name, value)]])),
  );
}

/** The query parameters `name[key]` by their keys. */
function keyedQueries(name: string, request: RouteInput): Variables {
  return Object.fromEntries(
    Object.entries(request.query).flatMap(([parameter, value]) =>
      parameter.startsWith(`${name}[`) && parameter.endsWith(']')
        ? [[parameter.slice(name.length + 1, -1), onlyText(parameter, value)]]
        : [],
    ),
  );
}

function bodyOf(request: RouteInput): object {
  // A missing body counts as an empty object. A `null` body is invalid.
  const body: unknown = request.body === undefined ? {} : request.body;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw new ServiceError('invalid_request', 'The body must be a JSON object.');
}

/** Converts the text of a path or query parameter to its variable's type. The input stage rejects invalid text. */
function parse({ name, type, namedType }: Parameter, value: unknown): unknown {
  // A list repeats the parameter for each item.
  if (isListType(type)) return [value].flat();
  const text = onlyText(name, value);
  if (namedType === GraphQLFloat && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return namedType === GraphQLInt && /^-?\d+$/.test(text) ? Number(text) : text;
}

function onlyText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ServiceError('invalid_request', '{param} must not be repeated.', { param: [name] });
}

/** The REST name of the invalid field in an error. */
export function nameField(route: Route, path: FieldPath): string {
  const [first, ...rest] = path;
  if (typeof first !== 'string') return restPath(path, route.body?.type);
  const field = route.variableOfArgument.get(`${first}.${rest[0]}`);
  if (field !== undefined) return restPath([wireName(route, field), ...rest.slice(1)], undefined);
  const variable = route.variableOfArgument.get(first);
  // A list repeats the parameter, so its items have no index.
  if (isParameterList(route, variable ?? first)) return wireName(route, variable ?? first);
  if (variable !== undefined) return restPath([wireName(route, variable), ...rest], undefined);
  return restPath([wireName(route, first), ...rest], route.body?.type);
}

function isParameterList({ parameters }: Route, variable: string): boolean {
  return parameters.some((parameter) => parameter.variable === variable && isListType(parameter.type));
}

/** The name of a variable, or of an input field that the path or a header sets, in the request. */
function wireName({ parameters }: Route, variable: string): string {
  return parameters.find((parameter) => parameter.variable === variable)?.name ?? variable;
}
