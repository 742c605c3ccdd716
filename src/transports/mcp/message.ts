import { isSpecType, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { ServiceError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import { uuidOf } from '../../operation/uuid.ts';

/** A message of JSON-RPC before the package validates it. */
export interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly taskId?: unknown;
    readonly cursor?: unknown;
    readonly requestId?: unknown;
    readonly notifications?: { readonly taskIds?: unknown } | undefined;
    readonly arguments?: { readonly deployment_id?: unknown; readonly conversation_id?: unknown };
    readonly _meta?: { readonly progressToken?: unknown; readonly [PROTOCOL_VERSION_META_KEY]?: unknown };
  };
}

/**
 * The message in the body of a request. Some clients send null for members that they do not have, and an empty cursor for
 * the first page.
 * @throws {ServiceError} invalid_request
 */
export function messageOf(body: unknown): unknown {
  // One request is one operation for the rate limits, so it cannot have several messages.
  if (Array.isArray(body)) throw new ServiceError('invalid_request', 'Send one message per request, not a batch.');
  if (!isObject(body)) return body;
  const { params, ...rest } = body;
  const message = params === null ? rest : isObject(params) ? { ...rest, params: withoutNulls(params) } : body;
  requireParams(message);
  requireShortNames(message);
  return message;
}

/** The package reports invalid parameters of these requests as internal errors. @throws {ServiceError} invalid_request */
function requireParams(message: Message): void {
  const { method, params } = message;
  // The later era has no such request.
  const isInitialize = method === 'initialize' && params?._meta?.[PROTOCOL_VERSION_META_KEY] === undefined;
  const isValid =
    (!isInitialize || isSpecType.InitializeRequest(message)) &&
    (method !== 'tools/list' || isSpecType.ListToolsRequest(message));
  if (isValid) return;
  throw new ServiceError('invalid_request', `{param} of ${method} are not valid.`, { param: ['params'] });
}

function withoutNulls(params: Record<string, unknown>): Record<string, unknown> {
  const { cursor, _meta: meta, ...rest } = withoutNullMembers(params);
  return {
    ...rest,
    ...(cursor !== undefined && cursor !== '' && { cursor }),
    ...(meta !== undefined && { _meta: isObject(meta) ? withoutNullMembers(meta) : meta }),
  };
}

const withoutNullMembers = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each notification repeats the progress token, so a long one would multiply. @throws {ServiceError} invalid_request */
function requireShortNames({ id, params }: Message): void {
  const names = [
    { param: ['id'], value: id },
    { param: ['params', 'name'], value: params?.name },
    { param: ['params', 'taskId'], value: params?.taskId },
    { param: ['params', 'cursor'], value: params?.cursor },
    { param: ['params', '_meta', 'progressToken'], value: params?._meta?.progressToken },
  ];
  for (const { param, value } of names) {
    if (typeof value !== 'string' || value.length <= LIMITS.mcpNameLength) continue;
    const message = `{param} must have at most ${LIMITS.mcpNameLength} characters.`;
    throw new ServiceError('invalid_request', message, { param });
  }
}

/** What a call names. */
export function addressOf(message: unknown) {
  const { arguments: args } = ((message ?? {}) as Message).params ?? {};
  return { deploymentId: uuidOf(args?.deployment_id), conversationId: uuidOf(args?.conversation_id) };
}

/** The ID that an error of the message repeats. */
export function repeatableId(body: unknown): string | number | null {
  const { id } = (isObject(body) ? body : {}) as Message;
  if (typeof id === 'number') return id;
  return typeof id === 'string' && id.length <= LIMITS.mcpNameLength ? id : null;
}
