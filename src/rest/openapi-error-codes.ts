import { getNamedType, isInputObjectType } from 'graphql';
import { ERROR_CODES, type ErrorCode } from '../contract/errors.ts';
import type { DeclaredErrors } from '../graphql/schema/mutation.ts';
import type { Route } from './route.ts';

const always = () => true;
const hasBody = ({ body }: Route) => body !== undefined;
/** Only turns call a model, and only turns need this scope. */
const callsModel = ({ access }: Route) => access.scope === 'conversations:write';
/** Retries need an idempotency key, which a running request holds. */
const takesKey = ({ method }: Route) => method === 'post';
/** A feed takes its cursor as `after`. */
const hasCursor = ({ parameters }: Route) => parameters.some(({ name }) => name === 'cursor' || name === 'after');
const needsSession = ({ access }: Route) => access.session === true || access.administrator === true;

/** The errors of the pipeline and of REST itself, and the routes that have them without a declaration. */
const UNDECLARED: Readonly<Partial<Record<ErrorCode, (route: Route) => boolean>>> = {
  invalid_request: always,
  invalid_json: hasBody,
  invalid_cursor: hasCursor,
  idempotency_key_reused: takesKey,
  unauthorized: always,
  forbidden: always,
  session_required: needsSession,
  origin_not_allowed: always,
  method_not_allowed: always,
  request_in_progress: takesKey,
  payload_too_large: hasBody,
  unsupported_media_type: hasBody,
  rate_limited: always,
  internal_error: always,
  model_error: callsModel,
  unavailable: always,
  model_timeout: callsModel,
};

const declaredIn = (extensions: object): readonly ErrorCode[] => (extensions as Partial<DeclaredErrors>).errors ?? [];

/**
 * The errors that the root field declares, those of the arguments that the document passes, and those of the fields of
 * its input.
 */
function declaredErrors({ field, rootField }: Pick<Route, 'field' | 'rootField'>): ReadonlySet<ErrorCode> {
  const passed = new Set(rootField.arguments?.map(({ name }) => name.value));
  const ofArguments = field.args
    .filter(({ name }) => passed.has(name))
    .flatMap(({ type, extensions }) => {
      const input = getNamedType(type);
      const fields = isInputObjectType(input) ? Object.values(input.getFields()) : [];
      return [extensions, ...fields.map((one) => one.extensions)].flatMap(declaredIn);
    });
  return new Set([...declaredIn(field.extensions), ...ofArguments]);
}

/** The codes of the errors that a route can respond with, by status, in the order of the table of codes. */
export function codesByStatus(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const declared = declaredErrors(route);
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    if (!declared.has(code) && !UNDECLARED[code]?.(route)) continue;
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}
