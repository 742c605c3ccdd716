import type { Request } from 'express';
import { GraphQLFloat, GraphQLInt, isListType } from 'graphql';
import { type FieldPath, ServiceError } from '../contract/errors.ts';
import { snakeCase } from '../contract/snake-case.ts';
import { restPath } from './names.ts';
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
    else Object.assign(variables, valueNamed(parameter.variable, parameter, request));
  }
  const labels = route.directive.others ?? route.directive.keyed;
  checkBrackets(route, labels, request);
  if (labels) variables[labels] = labelQueries(route, labels, request);
  if (route.body) variables[route.body.variable] = inputOf(request, ofInput);
  return variables;
}

function valueNamed(name: string, parameter: Parameter, request: RouteInput): Variables {
  const value = rawValue(parameter, request);
  return value === undefined ? {} : { [name]: parse(parameter, value) };
}

/** The body with the fields that the path and headers set. The body cannot set them. */
function inputOf(request: RouteInput, parameters: readonly Parameter[]): object {
  const body = bodyOf(request);
  if (parameters.length === 0) return body;
  const input: Variables = { ...body };
  for (const parameter of parameters) {
    const name = snakeCase(parameter.variable);
    delete input[name];
    Object.assign(input, valueNamed(name, parameter, request));
  }
  return input;
}

function rawValue({ name, in: place }: Parameter, request: RouteInput): unknown {
  if (place === 'header') return request.get(name);
  const source: Record<string, unknown> = place === 'path' ? request.params : request.query;
  return Object.hasOwn(source, name) ? source[name] : undefined;
}

/**
 * The labels of a list of conversations: `name[key]`, and with `others` also every query parameter that no variable reads.
 * A label can have the name of a path parameter.
 */
function labelQueries(route: Route, name: string, request: RouteInput): Variables {
  const isOpen = route.directive.others !== undefined;
  const labels = new Map<string, string>();
  for (const [parameter, value] of Object.entries(request.query)) {
    const isLabel = isOpen && !isQueryParameter(route, parameter);
    const key = keyInBrackets(name, parameter) ?? (isLabel ? parameter : undefined);
    if (key === undefined) continue;
    if (labels.has(key)) throw repeated(parameter);
    labels.set(key, onlyText(parameter, value));
  }
  // `fromEntries` defines own properties, so a query parameter named `__proto__` is safe.
  return Object.fromEntries(labels);
}

const isQueryParameter = ({ parameters }: Route, wanted: string) =>
  parameters.some(({ in: place, name }) => place === 'query' && name === wanted);

/** The key of `name[key]`. */
function keyInBrackets(name: string, parameter: string): string | undefined {
  const isKeyed = parameter.startsWith(`${name}[`) && /^[^[\]]+\[[^[\]]+\]$/.test(parameter);
  return isKeyed ? parameter.slice(name.length + 1, -1) : undefined;
}

/**
 * Rejects names in brackets, like `type[]=a`, because a list without the filter would look like one with it.
 * @throws {ServiceError} invalid_request
 */
function checkBrackets(route: Route, labels: string | undefined, { query }: RouteInput): void {
  for (const parameter of Object.keys(query)) {
    const bracket = parameter.search(/[[\]]/);
    if (bracket === -1 || (labels && keyInBrackets(labels, parameter) !== undefined)) continue;
    const name = parameter.slice(0, bracket);
    if (labels === undefined && !isQueryParameter(route, name)) continue;
    const hint = labels ? `Write a label as ${labels}[key]=value` : `Write ${name}=value, and repeat it for a list`;
    throw new ServiceError('invalid_request', `{param} is not a parameter of this path. ${hint}.`, {
      param: [parameter],
    });
  }
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
  throw repeated(name);
}

function repeated(name: string): ServiceError {
  return new ServiceError('invalid_request', '{param} must not be repeated.', { param: [name] });
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
