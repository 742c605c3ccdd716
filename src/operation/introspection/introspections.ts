import { setImmediate as nextRound } from 'node:timers/promises';
import { __Schema, type ExecutionResult, type GraphQLField, type GraphQLSchema, TypeMetaFieldDef } from 'graphql';
import { BoundedCache, bytesOfJsonText } from '../../cache/bounded-cache.ts';
import { RATE_LIMITS } from '../../domain/access/rate-limits.ts';
import type { OperationContext } from '../context.ts';
import type { Variables } from '../input.ts';
import type { OperationPlan } from '../plan.ts';
import { introspectionKey } from './introspection-key.ts';

/** Types that are described in one round of the event loop, which takes a few milliseconds. */
const TYPES_PER_ROUND = 20;

let latestRound: Promise<void> = Promise.resolve();

/** Resolves in a round of the event loop in which no other types are described, so that no other request waits for long. */
function ownRound(): Promise<void> {
  latestRound = latestRound.then(() => nextRound());
  return latestRound;
}

function inRounds<T>(items: readonly T[]): Promise<T>[] {
  let round: Promise<void> = latestRound;
  return items.map((item, index) => {
    if (index % TYPES_PER_ROUND === 0) round = ownRound();
    return round.then(() => item);
  });
}

// graphql-js has one definition of these fields for all schemas. An execution without a context needs its result at once.
const typesField = __Schema.getFields().types as GraphQLField<GraphQLSchema, unknown>;
typesField.resolve = (schema, _arguments, context) => {
  const types = Object.values(schema.getTypeMap());
  return context === undefined ? types : inRounds(types);
};
TypeMetaFieldDef.resolve = (_source, { name }: { readonly name: string }, context, { schema }) => {
  const type = schema.getType(name);
  return context === undefined ? type : ownRound().then(() => type);
};

/** A result whose JSON is known. Its serializer is the one that Yoga looks for. */
interface ResultWithText extends ExecutionResult {
  stringify(result: ExecutionResult): string;
}

/** The text takes as much time as everything else about a result that is in memory. */
function withText(result: ExecutionResult, text: string): ResultWithText {
  // A copy can have more fields, such as the cost.
  const known: ResultWithText = { ...result, stringify: (other) => (other === known ? text : JSON.stringify(other)) };
  return known;
}

/** The JSON of a result. */
export function textOfResult(result: ExecutionResult & Partial<ResultWithText>): string {
  return result.stringify?.(result) ?? JSON.stringify(result);
}

type Execute = () => Promise<ExecutionResult> | ExecutionResult;

/**
 * Executes queries of the schema. The schema never changes while the service runs, so documents that differ only in white
 * space and comments share one result. New results are made one after another, because each takes memory and time.
 */
export class Introspections {
  readonly #results = new BoundedCache<ExecutionResult>('introspections');
  #latest: Promise<unknown> = Promise.resolve();

  /** @throws {ServiceError} rate_limited, if the address requests many different results */
  async resultOf(
    plan: OperationPlan,
    variables: Variables,
    context: OperationContext,
    execute: Execute,
  ): Promise<ExecutionResult> {
    const key = introspectionKey(plan, variables);
    const known = this.#results.get(key);
    if (known) return known;
    await context.countByAddress(RATE_LIMITS.introspections);
    // The result depends on more than the schema.
    if (plan.rootFields.length > 0) return execute();
    const result = this.#latest.then(() => this.#results.get(key) ?? this.#make(key, execute));
    this.#latest = result.catch(() => undefined);
    return result;
  }

  async #make(key: string, execute: Execute): Promise<ExecutionResult> {
    const result = await execute();
    if (result.errors) return result;
    const text = JSON.stringify(result);
    const known = withText(result, text);
    this.#results.set(key, known, bytesOfJsonText(text));
    return known;
  }
}
