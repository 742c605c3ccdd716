import { getNamedType, isInputObjectType } from 'graphql';
import { ERROR_CODES, type ErrorCode } from '../contract/errors.ts';
import type { DeclaredErrors } from '../graphql/schema/mutation.ts';
import { type RootSelection, type Route, takesKey } from './route.ts';

const always = () => true;
/** Also without an input: a body that a client sends is read and checked on every method but GET. */
const hasBody = ({ method }: Route) => method !== 'get';
/** Only turns call a model, and only turns need this scope. */
const callsModel = ({ roots }: Route) => roots.some(({ access }) => access.scope === 'conversations:write');
/** A feed takes its cursor as `after`. A published document can pass a cursor to any field. */
const CURSORS: ReadonlySet<string> = new Set(['cursor', 'after', 'as_of']);
const hasCursor = ({ parameters, published }: Route) =>
  published !== undefined || parameters.some(({ name }) => CURSORS.has(name));
/** A published document can select fields that need a session below its root field. */
const needsSession = ({ access, published }: Route) =>
  published !== undefined || access.session === true || access.administrator === true;
const storesFiles = ({ roots }: Route) =>
  roots.some(({ field }) => field.name === 'createUpload' || field.name === 'completeUpload');
const isPublished = ({ published }: Route) => published !== undefined;

/** The errors of the pipeline and of REST itself, and the routes that have them without a declaration. */
const UNDECLARED: Readonly<Partial<Record<ErrorCode, (route: Route) => boolean>>> = {
  invalid_request: always,
  invalid_json: hasBody,
  invalid_cursor: hasCursor,
  idempotency_key_reused: takesKey,
  unauthorized: always,
  budget_reached: callsModel,
  forbidden: always,
  session_required: needsSession,
  origin_not_allowed: always,
  challenge_required: callsModel,
  not_found: isPublished,
  method_not_allowed: always,
  request_in_progress: takesKey,
  payload_too_large: hasBody,
  unsupported_media_type: hasBody,
  rate_limited: always,
  internal_error: always,
  model_error: callsModel,
  unavailable: always,
  model_timeout: callsModel,
  insufficient_storage: storesFiles,
};

const declaredIn = (extensions: object): readonly ErrorCode[] => (extensions as Partial<DeclaredErrors>).errors ?? [];

/**
 * The errors that the root field declares, those of the arguments that the document passes, and those of the fields of
 * its input.
 */
function declaredErrors({ field, node }: RootSelection): readonly ErrorCode[] {
  const passed = new Set(node.arguments?.map(({ name }) => name.value));
  const ofArguments = field.args
    .filter(({ name }) => passed.has(name))
    .flatMap(({ type, extensions }) => {
      const input = getNamedType(type);
      const fields = isInputObjectType(input) ? Object.values(input.getFields()) : [];
      return [extensions, ...fields.map((one) => one.extensions)].flatMap(declaredIn);
    });
  return [...declaredIn(field.extensions), ...ofArguments];
}

/** The codes of the errors that a route can respond with, by status, in the order of the table of codes. */
export function codesByStatus(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const declared = new Set(route.roots.flatMap(declaredErrors));
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(ERROR_CODES) as ErrorCode[]) {
    if (!declared.has(code) && !UNDECLARED[code]?.(route)) continue;
    const { status } = ERROR_CODES[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return byStatus;
}
