import { type GraphQLSchema, specifiedRules, validate } from 'graphql';
import { Pace } from '../../bounds/pace.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { DocumentKind } from '../../contract/statuses.ts';
import type { DocumentContract } from '../../domain/documents/compiler-port.ts';
import { limitExceeded, requireShape, type ShapeLimits } from '../../operation/document-shape.ts';
import { publishingOf } from '../../operation/publishing.ts';
import type { JsonSchema } from '../json-schema.ts';
import { type Operation, operationOf } from '../openapi.ts';
import { responseSchema } from '../openapi-responses.ts';
import { Components, GRAPHQL_NAMING } from '../openapi-types.ts';
import type { Route } from '../route.ts';
import { costRange } from './cost.ts';
import { problemAt } from './problem.ts';
import { resultSize } from './result-size.ts';
import { publishedRoute } from './route.ts';
import { directiveOf, ruleProblems } from './rules.ts';
import { type DocumentSource, parseText, type TrustedText, trustedTextOf } from './source.ts';

/** What documents are compiled against. */
export interface CompilerRules {
  readonly schema: GraphQLSchema;
  /** The schema with the directives of documents. */
  readonly extended: GraphQLSchema;
  readonly shape: ShapeLimits;
  readonly maxCost: number;
}

/** A compiled document: everything that serving and describing it needs. */
export interface CompiledDocument {
  readonly route: Route;
  readonly trusted: TrustedText;
  readonly contract: DocumentContract;
  /** Its operation in OpenAPI, and the schemas that the operation refers to. */
  readonly operation: Operation;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/**
 * Compiles a text in slices, so that other requests are served in between. Each slice is bounded by a limit of the text.
 * @throws {GraphQLError} with the location of the problem
 * @throws {ServiceError} invalid_request if the text exceeds a limit
 * @throws {AggregateError} with several errors of these kinds
 */
export async function compileText(rules: CompilerRules, name: string, text: string): Promise<CompiledDocument> {
  const { schema, extended, shape } = rules;
  const pace = new Pace();
  const source = parseText(text);
  requireShape(source.document, shape);
  await pace.pause();
  const invalid = validate(extended, source.document, specifiedRules, { maxErrors: LIMITS.documentProblems });
  if (invalid.length > 0) throw new AggregateError(invalid.slice(0, LIMITS.documentProblems));
  await pace.pause();
  const problems = ruleProblems(extended, source);
  if (problems.length > 0) throw new AggregateError(problems.slice(0, LIMITS.documentProblems));
  const size = resultSize(schema, source);
  if (size > LIMITS.documentFields) throw limitExceeded('number of fields', size, LIMITS.documentFields);
  const trusted = trustedTextOf(source);
  const route = publishedRoute({ schema, extended }, name, source, trusted);
  const contract = contractOf(rules, route, source, trusted);
  await pace.pause();
  const components = new Components(GRAPHQL_NAMING);
  const result = responseSchema(schema, route, components);
  if (route.directive.unwrap && result.type !== 'object') {
    throw problemAt(directiveOf(source.operation.directives, 'rest'), UNWRAPPED);
  }
  await pace.pause();
  const operation = operationOf(schema, route, components);
  return { route, trusted, contract, operation, schemas: components.byName() };
}

const UNWRAPPED = 'unwrap needs a root field that is always one object: not a list, not null, and of one type.';

function contractOf(
  { schema, maxCost }: CompilerRules,
  { access, roots, method, path, directive, parameters }: Route,
  { operation }: DocumentSource,
  trusted: TrustedText,
): DocumentContract {
  const { least, most } = costRange(schema, trusted);
  if (least > maxCost) throw limitExceeded('cost', least, maxCost);
  const required = new Map(
    operation.variableDefinitions?.map(({ variable, type, defaultValue }) => [
      variable.name.value,
      type.kind === 'NonNullType' && defaultValue === undefined,
    ]),
  );
  return {
    kind: operation.operation as DocumentKind,
    trustedId: trusted.id,
    trustedText: trusted.text,
    route: {
      method: method.toUpperCase(),
      path,
      status: directive.status,
      parameters: parameters.map(({ name, variable, in: place, type }) => ({
        ...{ name, in: place, type: String(type) },
        required: required.get(variable) ?? false,
      })),
    },
    scopes: access.scopes ?? (access.scope ? [access.scope] : []),
    requirements: roots.map(({ access: { scope, scopes, anyRole } }) => ({
      ...{ ...(scope && { scope }), ...(scopes && { scopes }), ...(anyRole && { anyRole }) },
    })),
    writes: roots.filter(({ field }) => publishingOf(field) !== 'reads').map(({ field }) => field.name),
    cost: most,
  };
}
