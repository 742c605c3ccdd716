import { brandWithType } from '@pothos/core';
import type { ErrorCode, InputIssue, ServiceError } from '../../contract/errors.ts';
import { graphqlMessage } from '../../operation/errors.ts';
import { builder } from './builder.ts';
import { ErrorCodeEnum } from './error-codes.ts';

/** An error as a result. graphql-js would throw an instance of Error. */
export class ReturnedError {
  readonly error: ServiceError;

  constructor(error: ServiceError) {
    this.error = error;
  }
}

const ErrorInterface = builder.interfaceRef<ReturnedError>('Error').implement({
  description:
    'An error that callers are expected to handle. A mutation returns it as its result. Other errors, like missing permissions and rate limits, are in `errors`.',
  fields: (t) => ({
    code: t.field({ type: ErrorCodeEnum, description: 'Base decisions on it.', resolve: ({ error }) => error.code }),
    message: t.string({
      description: 'For people: the problem and how to solve it.',
      resolve: ({ error: { message, details } }) => graphqlMessage(message, details.param),
    }),
    path: t.stringList({
      nullable: true,
      description: 'The invalid field of the input: names, and indexes of lists. Null: no single field is invalid.',
      resolve: ({ error: { details } }) => (details.param?.length ? details.param.map(String) : null),
    }),
  }),
});

type ErrorFields = NonNullable<Parameters<ReturnType<typeof errorRef>['implement']>[0]['fields']>;

/** The type of `t` in functions that build fields of an error. */
export type ErrorFieldBuilder = Parameters<ErrorFields>[0];

function errorRef(name: string) {
  return builder.objectRef<ReturnedError>(name);
}

/** Declares the type of an error. A type without fields of its own exists for its name. */
export function errorType(name: string, description: string, fields?: ErrorFields) {
  return errorRef(name).implement({ interfaces: [ErrorInterface], description, ...(fields && { fields }) });
}

const InputIssueObject = builder.objectRef<InputIssue>('InputIssue').implement({
  description: 'An invalid field of an input.',
  fields: (t) => ({
    path: t.stringList({
      description: 'The field: names, and indexes of lists. Empty: the input as a whole.',
      resolve: ({ path }) => path.map(String),
    }),
    message: t.string({
      description: 'For people: what is wrong with the field.',
      resolve: ({ message, path }) => graphqlMessage(message, path),
    }),
  }),
});

const InvalidInput = errorType('InvalidInput', 'The input breaks a rule that its types do not express.', (t) => ({
  issues: t.field({
    type: [InputIssueObject],
    description: 'The invalid fields. The first one is also in `path` and `message`.',
    resolve: ({ error: { message, details } }) => [...(details.issues ?? [{ path: details.param ?? [], message }])],
  }),
}));

const NotFound = errorType('NotFound', 'An object of the input does not exist, or the caller cannot see it.');

const PreconditionFailed = errorType(
  'PreconditionFailed',
  'The object changed after the caller read it, so nothing was changed.',
  (t) => ({
    current: t.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      description: 'The object as it is now. Null: it was deleted.',
      resolve: ({ error }) => {
        const { current } = error.details;
        if (!current) return null;
        const { value, type } = current;
        brandWithType(value, type as never);
        return value;
      },
    }),
  }),
);

const InvalidCredentials = errorType(
  'InvalidCredentials',
  'The email address or the password is wrong, the workspace requires single sign-on, or the session has ended.',
);

type ErrorType = ReturnType<typeof errorType>;

const types = new Map<ErrorCode, ErrorType>([
  ['invalid_request', InvalidInput],
  ['not_found', NotFound],
  ['precondition_failed', PreconditionFailed],
  // Other mutations never return it: without valid credentials, the pipeline rejects the whole request.
  ['unauthorized', InvalidCredentials],
]);

/** Registers the types of a feature's errors. */
export function registerErrors(entries: Readonly<Partial<Record<ErrorCode, ErrorType>>>): void {
  for (const [code, type] of Object.entries(entries)) types.set(code as ErrorCode, type);
}

/** The type of an error that a mutation returns. @throws {Error} if the code is a fault, which has no type */
export function errorTypeOf(code: ErrorCode): ErrorType {
  const type = types.get(code);
  if (!type) throw new Error(`${code} has no type, so no mutation can return it.`);
  return type;
}
