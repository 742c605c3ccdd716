import { inexactNumber } from '../../contract/exact-json.ts';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import { charsetOf, decodeText } from '../../contract/text-encoding.ts';
import type { Context } from '../context.ts';
import type { HttpAction } from '../workflows/config.ts';
import { ActionError } from './action-error.ts';
import { type HttpActionCall, requestOf } from './http-request.ts';
import { requireIntegration } from './integration.ts';
import { modelOutput } from './output.ts';
import { type Mask, maskOf } from './secrets.ts';

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
  const headers = { ...request.headers, ...ctx.services.tracing?.headers() };
  const response = await ctx.services.addresses.request(url, { ...request, headers, ...bounds, signal });
  if ('problem' in response) throw new ActionError(response.problem);
  const content = contentOf(response.headers['content-type'] ?? '', response.body);
  if (response.status >= 200 && response.status < 300)
    return { status: response.status, ...modelOutput(content, mask) };
  throw errorOf(response.status, content, mask);
}

/** The body of these responses helps the model to correct the request. Bodies of other errors are not for the model. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 412, 422, 429]);

function errorOf(status: number, content: unknown, mask: Mask): ActionError {
  if (EXPLAINED.has(status)) {
    return new ActionError(`The server responded with ${status}.`, { status, ...modelOutput(content, mask) });
  }
  return new ActionError(`The server responded with ${status}.${reasonOf(status)}`, { status });
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return ' It rejected the credentials of this service.';
  if (status >= 300 && status < 400) return ' Redirects of this request are not followed.';
  return status >= 500 ? ' The error is on the server. The same request may succeed later.' : '';
}

const TEXTUAL = /^(text\/|application\/(xml|javascript|x-www-form-urlencoded|yaml)|[^;]*\+xml)/i;

function contentOf(type: string, body: Uint8Array): unknown {
  if (body.byteLength === 0) return null;
  const text = () => decodeText(body, charsetOf(type)).text;
  if (/[/+]json\b/i.test(type)) return jsonIn(text());
  if (type === '' || TEXTUAL.test(type)) return text();
  return `[${formatCount(body.byteLength)} bytes of ${type.split(';')[0]} omitted]`;
}

/** The text, if it is not JSON, or if parsing would change a number such as an ID of 19 digits. */
function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return inexactNumber(text) === undefined ? value : text;
  } catch {
    return text;
  }
}
