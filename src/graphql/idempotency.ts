import {
  type FieldNode,
  GraphQLError,
  type GraphQLField,
  getArgumentValues,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { handleStreamOrSingleExecutionResult, type Plugin } from 'graphql-yoga';
import { type ErrorCode, ServiceError } from '../contract/errors.ts';
import type { RunnerAddress } from '../domain/access/anonymous.ts';
import { type Claim, fingerprintOf } from '../domain/access/idempotency.ts';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { graphqlError, wireError } from './errors.ts';
import { accessOf } from './field-scope.ts';

/** A request that is to be carried out under its key, or the answer that it was given before. */
export type ClaimedRequest<Answer> =
  | { readonly kind: 'claim'; end(answer: Answer, told: Told): Promise<void> }
  | { readonly kind: 'replay'; readonly answer: Answer };

/** How an answer ended: what decides whether it is kept. */
export interface Told {
  readonly status: number;
  readonly code?: string | undefined;
}

/** Refused before anything began: what is mended may be sent under the same key. */
const NOT_BEGUN = new Set([401, 403, 405, 413, 415, 429]);

/** What it may have made before is not known, as where the connection to the database was lost. */
const UNCERTAIN = new Set<string | undefined>(['unavailable', 'internal_error'] satisfies ErrorCode[]);

function isKept({ status, code }: Told): boolean {
  return status < 500 && !NOT_BEGUN.has(status) && code !== 'invalid_request';
}

/**
 * Claims an Idempotency-Key for a request of the caller's environment (WIRE 11); undefined where there is no caller.
 * @throws {ServiceError} invalid_request, idempotency_key_reused, request_in_progress
 */
export async function claimRequest<Answer>(
  context: GraphContext,
  key: string,
  request: unknown,
): Promise<ClaimedRequest<Answer> | undefined> {
  const { caller, services } = context;
  if (!caller) return undefined;
  // Whoever needs no credentials shares an environment with everybody, and must not meet others by their keys.
  const somebody = caller.kind === 'anonymous' ? `${caller.id} ${caller.visitor?.id ?? ''}` : undefined;
  const claimed = await services.idempotency.claim<Answer>(caller.environment.id, key, {
    fingerprint: fingerprintOf(request),
    somebody,
  });
  if (claimed.kind === 'replay') {
    context.setHeader('Idempotency-Replayed', 'true');
    return claimed;
  }
  const { claim } = claimed;
  context.carryOutUnder(claim);
  return { kind: 'claim', end: (answer, told) => settle(services, claim, answer, told) };
}

function settle({ idempotency }: Services, claim: Claim, answer: unknown, told: Told): Promise<void> {
  return isKept(told) ? idempotency.keep(claim, answer) : idempotency.release(claim, !UNCERTAIN.has(told.code));
}

/** An execution's result, as it is kept. */
interface KeptResult {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions?: Told & Record<string, unknown>;
  }[];
}

/** Mutations under a key: of the header Idempotency-Key, or of `extensions.idempotencyKey`. */
export function idempotentMutations({ log }: Services): Plugin<GraphContext> {
  return {
    async onExecute({ args, setResultAndStopExecution }) {
      const context = args.contextValue as GraphContext & {
        readonly params?: { readonly extensions?: Readonly<Record<string, unknown>> };
      };
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== OperationTypeNode.MUTATION) return undefined;
      const claimed = await claim(context, operation, args).catch((error: unknown) => {
        const errors = [graphqlError(wireError(error, { log, requestId: context.requestId }))];
        setResultAndStopExecution({ errors });
        return undefined;
      });
      if (claimed?.kind === 'replay') setResultAndStopExecution(revived(claimed.answer, operation));
      if (claimed?.kind !== 'claim') return undefined;
      return {
        onExecuteDone: (done) =>
          handleStreamOrSingleExecutionResult(done, async ({ result }) => {
            const kept = JSON.parse(JSON.stringify(result)) as KeptResult;
            const { status = 200, code } = kept.errors?.[0]?.extensions ?? {};
            await claimed.end(kept, { status, code });
          }),
      };
    },
  };
}

type MutationArgs = Pick<Parameters<NonNullable<Plugin['onExecute']>>[0]['args'], 'schema' | 'variableValues'>;

async function claim(
  context: GraphContext & {
    readonly params?: { readonly query?: string; readonly extensions?: Readonly<Record<string, unknown>> };
  },
  operation: OperationDefinitionNode,
  { schema, variableValues }: MutationArgs,
): Promise<ClaimedRequest<KeptResult> | undefined> {
  const given = context.params?.extensions?.idempotencyKey ?? context.header('idempotency-key');
  if (given === undefined) return undefined;
  if (typeof given !== 'string') {
    throw new ServiceError('invalid_request', '{param} must be a string.', { param: ['extensions', 'idempotencyKey'] });
  }
  const [field, ...others] = operation.selectionSet.selections;
  if (field?.kind !== Kind.FIELD || others.length > 0) {
    throw new ServiceError('invalid_request', 'An idempotency key goes with a mutation of exactly one root field.');
  }
  await enterByField(context, schema.getMutationType()?.getFields()[field.name.value], field, variableValues);
  return claimRequest<KeptResult>(context, given, [
    'graphql',
    context.params?.query,
    operation.name?.value,
    variableValues,
  ]);
}

/** Whoever comes without credentials is somebody once a deployment has let them in; the field says why it does not. */
async function enterByField(
  context: GraphContext,
  definition: GraphQLField<unknown, unknown> | undefined,
  field: FieldNode,
  variableValues: MutationArgs['variableValues'],
): Promise<void> {
  const { scope, runner } = definition ? accessOf(definition) : {};
  if (!definition || !scope || !runner || context.caller) return;
  const address: RunnerAddress = getArgumentValues(definition, field, variableValues);
  await context.enterRunner(scope, address).catch(() => {});
}

/** The result as it was, its error at the field that it was the error of. */
function revived({ data, errors }: KeptResult, { selectionSet }: OperationDefinitionNode) {
  const told = errors?.map(
    ({ message, path, extensions }) =>
      new GraphQLError(message, {
        nodes: path ? selectionSet.selections : null,
        path: path ?? null,
        extensions: extensions ?? null,
      }),
  );
  return { ...(data !== undefined && { data: data as Record<string, unknown> }), ...(told && { errors: told }) };
}
