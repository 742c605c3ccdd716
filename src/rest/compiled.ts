import { type ExecutionResult, type GraphQLSchema, valueFromASTUntyped } from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import type { GraphContext } from '../graphql/context.ts';
import type { Variables } from './bind.ts';
import type { Route } from './route.ts';

interface Compiled {
  readonly query: CompiledQuery;
  /** What variables are that are not given. */
  readonly defaults: Variables;
}

const compiled = new WeakMap<Route, Compiled>();

/**
 * Carries out a route's document, which is compiled at its first use: the documents are the service's own, few, and the
 * same for as long as it runs.
 */
export async function executeCompiled(
  schema: GraphQLSchema,
  route: Route,
  variables: Variables,
  context: GraphContext,
): Promise<ExecutionResult> {
  const { query, defaults } = compiledOf(schema, route);
  // The compiler takes a required variable for missing even where it has a default.
  return query.query(undefined, context, { ...defaults, ...variables });
}

function compiledOf(schema: GraphQLSchema, route: Route): Compiled {
  const known = compiled.get(route);
  if (known) return known;
  const query = compileQuery(schema, route.document, route.operation.name?.value);
  if (!isCompiledQuery(query)) throw new Error(`${route.name} cannot be compiled.`, { cause: query.errors?.[0] });
  const made = { query, defaults: defaultsOf(route) };
  compiled.set(route, made);
  return made;
}

function defaultsOf({ operation }: Route): Variables {
  const withDefault = (operation.variableDefinitions ?? []).filter(({ defaultValue }) => defaultValue);
  return Object.fromEntries(
    withDefault.map(({ variable, defaultValue }) => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ]),
  );
}
