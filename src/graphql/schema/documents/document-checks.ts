import type {
  CheckedDocument,
  DocumentParameter,
  DocumentProblem,
  DocumentRoute,
} from '../../../domain/documents/compiler-port.ts';
import { ScopeEnum } from '../access/access-enums.ts';
import { builder } from '../builder.ts';
import { valuesOf } from '../enum-type.ts';

const ProblemObject = builder.objectRef<DocumentProblem>('DocumentProblem').implement({
  description: 'What prevents a text from being published.',
  fields: (t) => ({
    message: t.exposeString('message', { description: 'For people: what is wrong.' }),
    line: t.exposeInt('line', { description: 'The line in the text, from 1.' }),
    column: t.exposeInt('column', { description: 'The column in the line, from 1.' }),
  }),
});

const PlaceEnum = builder.enumType('DocumentParameterPlace', {
  description: 'Where a request has a parameter.',
  values: valuesOf(['path', 'query', 'header', 'body'], {
    path: 'A segment of the path.',
    query: 'A query parameter. Objects are JSON, and lists repeat the parameter.',
    header: 'A request header.',
    body: 'A field of the JSON body.',
  }),
});

const ParameterObject = builder.objectRef<DocumentParameter>('DocumentParameter').implement({
  description: 'A variable of a document in a REST request.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the variable, or of the header.' }),
    place: t.field({ type: PlaceEnum, description: 'Where a request has it.', resolve: (parameter) => parameter.in }),
    type: t.exposeString('type', { description: 'Its GraphQL type.' }),
    required: t.exposeBoolean('required', { description: 'Whether a request must have it.' }),
  }),
});

const RouteObject = builder.objectRef<DocumentRoute>('DocumentRoute').implement({
  description: 'How a document is called over REST.',
  fields: (t) => ({
    method: t.exposeString('method', { description: 'The HTTP method.' }),
    path: t.exposeString('path', { description: 'The path, with parameters in braces.' }),
    status: t.exposeInt('status', { description: 'The status of a successful response.' }),
    parameters: t.field({
      type: [ParameterObject],
      description: 'The parameters, in the order of the variables.',
      resolve: ({ parameters }) => [...parameters],
    }),
  }),
});

/** The result of a check. */
interface DocumentCheck {
  readonly checked: CheckedDocument;
  readonly breakingChanges: readonly string[];
}

const WITHOUT = 'Null: the text has problems.';

export const CheckedDocumentObject = builder.objectRef<DocumentCheck>('DocumentCheck').implement({
  description: 'A text as the service compiles it.',
  fields: (t) => ({
    problems: t.field({
      type: [ProblemObject],
      description: 'What prevents its publication. Empty: it can be published.',
      resolve: ({ checked }) => [...checked.problems],
    }),
    route: t.field({
      type: RouteObject,
      nullable: true,
      description: `How it is called over REST. ${WITHOUT}`,
      resolve: ({ checked }) => checked.contract?.route ?? null,
    }),
    scopes: t.field({
      type: [ScopeEnum],
      nullable: true,
      description: `The scopes that its callers need. ${WITHOUT}`,
      resolve: ({ checked }) => (checked.contract ? [...checked.contract.scopes] : null),
    }),
    maxCost: t.int({
      nullable: true,
      description: `The highest cost of a call, with the longest lists. Calls over the limit are rejected. ${WITHOUT}`,
      resolve: ({ checked }) => (checked.contract ? Math.min(checked.contract.cost, MAX_INT) : null),
    }),
    trustedText: t.string({
      nullable: true,
      description: `The text without the directives and descriptions that only the service reads. ${WITHOUT}`,
      resolve: ({ checked }) => checked.contract?.trustedText ?? null,
    }),
    trustedId: t.string({
      nullable: true,
      description: `The SHA-256 of \`trustedText\` in hexadecimal: the ID for \`documentId\`. ${WITHOUT}`,
      resolve: ({ checked }) => checked.contract?.trustedId ?? null,
    }),
    breakingChanges: t.stringList({
      description:
        'The changes that break callers of the current version, one sentence each. Always empty for a published version.',
      resolve: ({ breakingChanges }) => [...breakingChanges],
    }),
  }),
});

const MAX_INT = 2 ** 31 - 1;
