import type { InputRef } from '@pothos/core';
import { encodeGlobalID } from '@pothos/plugin-relay';
import type { GraphQLResolveInfo } from 'graphql';
import { type ErrorCode, ServiceError } from '../../contract/errors.ts';
import type { Access } from '../../operation/access.ts';
import type { OperationContext } from '../../operation/context.ts';
import { acceptsGlobalIds, withPublicIds } from '../../operation/node-ids.ts';
import type { Publishing } from '../../operation/publishing.ts';
import { builder } from './builder.ts';
import { errorTypeOf, ReturnedError } from './errors.ts';

type PayloadFields<Payload> = NonNullable<
  Parameters<ReturnType<typeof builder.objectRef<Payload>>['implement']>[0]['fields']
>;

/** The type of `t` in functions that build fields of a payload. */
export type PayloadBuilder<Payload> = Parameters<PayloadFields<Payload>>[0];

interface Mutation<Input, Payload> {
  /** The permission that the caller needs. A mutation without it is public. */
  readonly access?: Access;
  /** Whether documents can be published with it, and its effect. */
  readonly publishing: Publishing;
  readonly description: string;
  /** The only argument. A mutation without input has no argument. */
  readonly input?: InputRef<Input>;
  /** The errors that the mutation returns as its result. All other errors are faults. */
  readonly errors: readonly ErrorCode[];
  readonly resolve: (input: Input, context: OperationContext, info: GraphQLResolveInfo) => Payload | Promise<Payload>;
  readonly payload: PayloadFields<Payload>;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The errors that a root field declares, or one of its arguments. OpenAPI's responses are computed from them. */
export interface DeclaredErrors extends Readonly<Record<string, unknown>> {
  readonly errors: readonly ErrorCode[];
}

/** Declares that an object of the request may be unknown. In the GraphQL API, a look-up returns null instead. */
export const NOT_FOUND = { errors: ['not_found'] } satisfies DeclaredErrors;

/**
 * Declares a mutation: `verbNoun(input: VerbNounInput!): VerbNounResult`. The result is the payload or one of the declared
 * errors. The field is nullable, so that a fault does not remove the results of other fields.
 */
export function mutation<Input, Payload extends object>(name: string, definition: Mutation<Input, Payload>): void {
  const { access, publishing, description, input, errors, extensions } = definition;
  const result = resultType(name, definition);
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      nullable: true,
      ...(access && { access }),
      publishing,
      description,
      extensions: { ...extensions, errors } satisfies DeclaredErrors,
      args: { ...(input && { input: t.arg({ type: input as never, required: true, description: inputText(name) }) }) },
      // The type of a result with a type parameter is undecided.
      resolve: resolverOf(definition) as never,
    }),
  );
}

function inputText(name: string): string {
  return `What \`${name}\` needs.`;
}

function resolverOf<Input, Payload>({ errors, resolve }: Mutation<Input, Payload>) {
  return async (_root: object, args: object, context: OperationContext, info: GraphQLResolveInfo) => {
    try {
      context.requireInReach(info.path.key);
      const { input } = (acceptsGlobalIds(info.schema) ? withPublicIds(args, info) : args) as { readonly input: Input };
      return await resolve(input, context, info);
    } catch (error) {
      return returned(error, errors, context);
    }
  };
}

/** The payload field that removes a deleted object from a client's store. */
export function deletedId<Payload>(t: PayloadBuilder<Payload>, type: string, idOf: (payload: Payload) => string) {
  return t.id({
    description: 'The global ID of the deleted object.',
    resolve: (payload) => encodeGlobalID(type, idOf(payload as Payload)),
  });
}

/** Returns a declared error as the result, and throws all others. REST throws every error. */
function returned(error: unknown, errors: readonly ErrorCode[], context: OperationContext): ReturnedError {
  if (!(error instanceof ServiceError) || !errors.includes(error.code) || context.throwsErrors) throw error;
  context.returnedErrors.push(error);
  return new ReturnedError(error);
}

function resultType<Input, Payload extends object>(name: string, { errors, payload }: Mutation<Input, Payload>) {
  const typeName = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  const payloadType = builder.objectRef<Payload>(`${typeName}Payload`).implement({
    description: `What \`${name}\` changed.`,
    fields: payload,
  });
  return builder.unionType(`${typeName}Result`, {
    description: `The result of \`${name}\`: its payload, or an error.`,
    types: [payloadType, ...new Set(errors.map(errorTypeOf))],
    resolveType: (value) => (value instanceof ReturnedError ? errorTypeOf(value.error.code) : payloadType),
  });
}
