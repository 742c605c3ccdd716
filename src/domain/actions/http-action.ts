import { JsonCost } from '../../bounds/json-cost.ts';
import { inexactNumber } from '../../contract/exact-json.ts';
import { withoutParameters } from '../../contract/file-name.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { charsetOf, decodeText } from '../../contract/text-encoding.ts';
import type { Context } from '../context.ts';
import type { HttpAction } from '../workflows/config.ts';
import { ActionError } from './action-error.ts';
import { type HttpActionCall, requestOf } from './http-request.ts';
import { requireIntegration } from './integration.ts';
import { modelOutput } from './output.ts';
import { maskOf } from './secrets.ts';

type ModelOutput = Readonly<Record<string, unknown>>;

/** Sends the request once and returns the response. @throws {ActionError} or the reason of the signal */
export async function runHttpAction(
  ctx: Context,
  action: HttpAction,
  call: HttpActionCall,
  signal: AbortSignal,
): Promise<ModelOutput> {
  const integration =
    action.integration === undefined ? undefined : await requireIntegration(ctx, 'http', action.integration);
  const mask = maskOf(integration?.headers ?? []);
  const { url, ...request } = requestOf(action, integration, call);
  const bounds = { timeoutMs: action.timeoutSeconds * 1_000, maxBytes: LIMITS.actionAnswerBytes };
  const headers = { ...request.headers, ...ctx.services.process.tracing?.headers() };
  const response = await ctx.services.ports.addresses.request(url, { ...request, headers, ...bounds, signal });
  if ('problem' in response) throw new ActionError(response.problem);
  const { value, note } = contentOf(response.headers['content-type'] ?? '', response.body);
  const output = () => modelOutput(value, mask, note);
  if (response.status >= 200 && response.status < 300) return { status: response.status, ...output() };
  throw errorOf(response.status, output);
}

/** The body of these responses helps the model to correct the request. Bodies of other errors are not for the model. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 412, 422, 429]);

function errorOf(status: number, output: () => ModelOutput): ActionError {
  if (EXPLAINED.has(status)) return new ActionError(`The server responded with ${status}.`, { status, ...output() });
  return new ActionError(`The server responded with ${status}.${reasonOf(status)}`, { status });
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return ' It rejected the credentials of this service.';
  if (status >= 300 && status < 400) return ' Redirects of this request are not followed.';
  return status >= 500 ? ' The error is on the server. The same request may succeed later.' : '';
}

const TEXTUAL = /^(text\/|application\/(xml|javascript|x-www-form-urlencoded|yaml)|[^;]*\+xml)/i;

interface Content {
  readonly value: unknown;
  /** What the model must know about the value. */
  readonly note?: string;
}

const UNKNOWN_ENCODING =
  'U+FFFD stands for characters that could not be read: the response is not UTF-8 and names no valid charset.';

function contentOf(type: string, body: Uint8Array): Content {
  if (body.byteLength === 0) return { value: null };
  const isJson = /[/+]json\b/i.test(type);
  if (!isJson && type !== '' && !TEXTUAL.test(type)) return { value: omitted(body, withoutParameters(type)) };
  const { text, isExact } = decodeText(body, charsetOf(type));
  // The bytes of a picture without a type, for example.
  if (type === '' && !isExact && text.includes('\0')) return { value: omitted(body, 'an unknown type') };
  return { value: isJson ? jsonIn(text) : text, ...(!isExact && { note: UNKNOWN_ENCODING }) };
}

function omitted(body: Uint8Array, type: string): string {
  return `[${formatCount(body.byteLength)} bytes of ${type} omitted]`;
}

/** The text, if it is not JSON, if parsing would change a number such as an ID of 19 digits, or if it would take long. */
function jsonIn(text: string): unknown {
  const cost = new JsonCost();
  cost.add(Buffer.from(text));
  if (cost.hasManyKeys) return text;
  try {
    const value: unknown = JSON.parse(text);
    return inexactNumber(text) === undefined ? value : text;
  } catch {
    return text;
  }
}
