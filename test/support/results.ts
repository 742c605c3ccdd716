import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import type { HttpResponse } from './client.ts';

/** An error in the form that every API has in common. */
export interface AnyError {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

/** The status that REST has for an error. */
export function statusOf({ code }: AnyError): number {
  return ERROR_CODES[code as ErrorCode].status;
}

/** The error of a REST response, of a JSON-RPC response, of `errors`, or the error that a mutation returned. Undefined for success. */
export function errorOf({ body }: Pick<HttpResponse, 'body'>): AnyError | undefined {
  if (body?.error) return body.jsonrpc ? body.error.data : body.error;
  const [fault] = body?.errors ?? [];
  if (fault) return { ...inRestWords(fault.extensions), message: fault.message } as AnyError;
  return returnedError(body);
}

/** The extensions of a fault with the words of the REST API. */
export function inRestWords({ code, ...facts }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(facts).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  return { code: String(code).toLowerCase(), ...Object.fromEntries(entries) };
}

/** The error that the first mutation of a document returned. The document selects `... on Error { code message path }`. */
export function returnedError(body: HttpResponse['body']): AnyError | undefined {
  const result = firstResult(body);
  if (typeof result?.code !== 'string' || typeof result.message !== 'string') return undefined;
  const { code, message, path } = result;
  return { code: code.toLowerCase(), message, param: path && paramOf(path) };
}

/** `['content', '0', 'text']` → `content[0].text`. */
function paramOf(path: readonly string[]): string {
  const text = path.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return text.replace(/^\./, '');
}

/** The result of an operation's only field. Of a mutation: its payload, or the only field of the payload. @throws on an error */
export function resultOf({ body }: Pick<HttpResponse, 'body'>): HttpResponse['body'] {
  const error = errorOf({ body });
  if (error) throw new Error(JSON.stringify(error));
  const { __typename, ...result } = firstResult(body);
  if (!__typename?.endsWith('Payload')) return firstResult(body);
  const [only, ...others] = Object.values(result);
  return others.length === 0 ? only : result;
}

function firstResult(body: HttpResponse['body']): HttpResponse['body'] {
  return Object.values(body?.data ?? {})[0];
}

/** The document of a mutation: its payload with this selection, or its error. */
export function mutationOf(name: string, selection: string): string {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return `mutation ($input: ${type}Input!) { ${name}(input: $input) {
    __typename ... on ${type}Payload ${selection} ... on Error { code message path } } }`;
}

/** The global ID of a node, as `id` and `deletedId` contain it. */
export function globalId(type: string, id: string | number | bigint): string {
  return Buffer.from(`${type}:${id}`).toString('base64');
}

/** The ID in a global ID. */
export function publicIdOf(id: string): string {
  return Buffer.from(id, 'base64').toString().replace(/^\w+:/, '');
}
