import type { Operation } from './all-operations.ts';

/**
 * The root fields of GraphQL, `node`, and the paths of `ui` and of published documents. Their refusals are tested completely. REST
 * routes, tools, `nodes` and `_entities` use the same fields and types, so a sample shows that nothing on their way loses a refusal.
 */
const COMPLETE = /^(Query|Mutation|Subscription)\.(?!nodes of |_entities of )|\/x\/|\/ui\b/;

const isWithoutOwnRules = ({ name }: Operation): boolean => !COMPLETE.test(name);

/**
 * The checks of refusals to run for each operation: all of them, or one if the operation is sampled. Operations take turns, so that
 * each check runs for many.
 * @param checksOf the checks that apply to an operation, the same ones in the same order at each call
 * @param isSampled without it, the operations that have no rules of their own
 */
export function sampleRefusals<C>(
  operations: readonly Operation[],
  checksOf: (operation: Operation) => readonly C[],
  isSampled: (operation: Operation) => boolean = isWithoutOwnRules,
): (operation: Operation) => readonly C[] {
  const places = new Map(operations.filter(isSampled).map(({ name }, place) => [name, place]));
  return (operation) => {
    const checks = checksOf(operation);
    const place = places.get(operation.name);
    return place === undefined ? checks : checks.slice(place % checks.length, (place % checks.length) + 1);
  };
}
