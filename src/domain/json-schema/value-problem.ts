import { Budget, BudgetExceededError } from './budget.ts';
import { Evaluation, TooDeepError } from './evaluation.ts';
import type { Place } from './keyword.ts';
import { isObject, type Schema } from './schema.ts';
import { valueSizeProblem } from './value-size.ts';

/**
 * Returns the problem of a value, in words for the model. Undefined if the value matches the schema. A value that takes
 * too long to check has a problem.
 */
export function valueProblem(schema: Schema, value: unknown): string | undefined {
  if (!isObject(value)) return 'the value must be an object';
  const tooLarge = valueSizeProblem(value);
  if (tooLarge) return tooLarge;
  try {
    const failure = new Evaluation(schema, new Budget()).check(schema, value, { depth: 0 });
    return failure && `${pathOf(failure.place)} ${failure.message}`;
  } catch (error) {
    if (error instanceof BudgetExceededError)
      return 'the value takes too long to check against the schema: make it smaller';
    if (error instanceof TooDeepError) return 'the value is nested too deeply for the schema';
    throw error;
  }
}

/** Whether a value matches a schema. True as well if that takes too long to find out. */
export function mayMatch(schema: Schema, value: Schema): boolean {
  if (valueSizeProblem(value)) return true;
  try {
    return new Evaluation(schema, new Budget()).check(schema, value, { depth: 0 }) === undefined;
  } catch (error) {
    if (error instanceof BudgetExceededError || error instanceof TooDeepError) return true;
    throw error;
  }
}

/** A JSON Pointer. */
function pathOf(place: Place): string {
  const steps: string[] = [];
  for (let at: Place | undefined = place; at; at = at.parent) {
    if (at.key !== undefined) steps.unshift(String(at.key).slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1'));
  }
  return steps.length === 0 ? 'the value' : `/${steps.join('/')}`;
}
