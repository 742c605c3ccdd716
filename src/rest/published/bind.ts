import { type GraphQLInputType, getNamedType, getNullableType, isListType } from 'graphql';
import { ServiceError } from '../../contract/errors.ts';
import { checkJson, variablePath } from '../../operation/json-bounds.ts';
import type { RouteInput, Variables } from '../bind.ts';
import { isJsonParameter, isRepeatedParameter } from '../parameter-types.ts';
import type { Parameter, Route } from '../route.ts';

/**
 * Reads the variables of a published document. They have the names and values of GraphQL. Unknown query parameters and
 * fields of the body are ignored.
 * @throws {ServiceError} invalid_request, invalid_json
 */
export function publishedVariables({ parameters }: Route, request: RouteInput): Variables {
  const variables: Variables = {};
  for (const parameter of parameters) {
    const value = variableValue(parameter, request);
    if (value !== undefined) variables[parameter.variable] = value;
  }
  return variables;
}

function variableValue(parameter: Parameter, request: RouteInput): unknown {
  const { name, in: place, type } = parameter;
  if (place === 'header') return request.get(name);
  if (place === 'body') return ownValue(bodyOf(request), name);
  const raw = ownValue(place === 'path' ? request.params : request.query, name);
  if (raw === undefined) return undefined;
  if (isRepeatedParameter(type)) return [raw].flat().map((text) => scalarOf(onlyText(name, text), type));
  const text = onlyText(name, raw);
  return isJsonParameter(type) ? jsonOf(name, text) : scalarOf(text, type);
}

function ownValue(source: object, name: string): unknown {
  return Object.hasOwn(source, name) ? (source as Variables)[name] : undefined;
}

function bodyOf({ body }: RouteInput): object {
  // A missing body counts as an empty object. A `null` body is invalid.
  const value: unknown = body === undefined ? {} : body;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new ServiceError('invalid_request', 'The body must be a JSON object.');
}

function onlyText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ServiceError('invalid_request', '{param} must not be repeated.', { param: [name] });
}

const NUMBERS: Readonly<Record<string, RegExp>> = {
  Float: /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i,
  Int: /^-?\d+$/,
  SafeInt: /^-?\d+$/,
};

/** The value that a text stands for. The input stage rejects a text that stands for no value of the type. */
function scalarOf(text: string, type: GraphQLInputType): unknown {
  const bare = getNullableType(type);
  const { name } = getNamedType(isListType(bare) ? (bare.ofType as GraphQLInputType) : bare);
  if (name === 'Boolean') return text === 'true' || (text === 'false' ? false : text);
  return NUMBERS[name]?.test(text) ? Number(text) : text;
}

function jsonOf(name: string, text: string): unknown {
  checkJson(Buffer.from(text), (path) => variablePath([name, ...path]));
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', '{param} is not valid JSON.', { param: [name] });
  }
}
