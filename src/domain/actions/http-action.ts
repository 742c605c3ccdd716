import { LIMITS } from '../../contract/limits.ts';
import type { Context } from '../context.ts';
import type { HttpAction } from '../workflows/config.ts';
import { ActionFailure } from './failure.ts';
import { requestOf } from './http-request.ts';
import { requireIntegration } from './integration.ts';
import { toldOf } from './output.ts';
import { type Mask, maskOf } from './secrets.ts';

type Told = Readonly<Record<string, unknown>>;

/** Asks the server once, and tells what it answered. @throws {ActionFailure} or the reason of the signal */
export async function runHttpAction(
  ctx: Context,
  action: HttpAction,
  given: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Told> {
  const integration =
    action.integration === undefined ? undefined : await requireIntegration(ctx, 'http', action.integration);
  const mask = maskOf(integration?.headers ?? []);
  const { url, ...request } = requestOf(action, integration, given);
  const bounds = { timeoutMs: action.timeoutSeconds * 1_000, maxBytes: LIMITS.actionAnswerBytes };
  const answer = await ctx.services.addresses.ask(url, { ...request, ...bounds, signal });
  if ('problem' in answer) throw new ActionFailure(answer.problem);
  const content = contentOf(answer.headers['content-type'] ?? '', answer.body);
  if (answer.status >= 200 && answer.status < 300) return { status: answer.status, ...toldOf(content, mask) };
  throw refused(answer.status, content, mask);
}

/** A server's own words on the request help the model to mend it; those on itself or on credentials are not for it. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 412, 422, 429]);

function refused(status: number, content: unknown, mask: Mask): ActionFailure {
  if (EXPLAINED.has(status)) {
    return new ActionFailure(`The server answered ${status}.`, { status, ...toldOf(content, mask) });
  }
  return new ActionFailure(`The server answered ${status}.${reasonOf(status)}`, { status });
}

function reasonOf(status: number): string {
  if (status === 401 || status === 403) return " It does not take this service's credentials, or they do not allow it.";
  if (status >= 300 && status < 400) return ' Redirects of such a request are not followed.';
  return status >= 500 ? ' The fault is its own; the same request may work later.' : '';
}

const TEXTUAL = /^(text\/|application\/(xml|javascript|x-www-form-urlencoded|yaml)|[^;]*\+xml)/i;

function contentOf(type: string, body: Uint8Array): unknown {
  if (body.byteLength === 0) return null;
  const text = () => new TextDecoder().decode(body);
  if (/[/+]json\b/i.test(type)) return jsonIn(text());
  if (type === '' || TEXTUAL.test(type)) return text();
  return `[${body.byteLength.toLocaleString('en')} bytes of ${type.split(';')[0]}, left out]`;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
