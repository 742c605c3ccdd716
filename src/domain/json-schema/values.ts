import type { Budget } from './budget.ts';

/** The cost of a text: each character is cheap, but texts are long. */
const stepsOf = (text: string) => 1 + (text.length >> 4);

/** Whether two JSON values are equal. The order of keys does not matter. */
export function isEqual(one: unknown, other: unknown, budget: Budget): boolean {
  budget.spend(2);
  if (one === other) return true;
  if (typeof one === 'string' && typeof other === 'string') {
    budget.spend(stepsOf(one));
    return false;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => isEqual(item, other[index], budget));
  }
  const keys = Object.keys(one);
  budget.spend(keys.length * 2);
  if (keys.length !== countKeys(other, budget)) return false;
  return keys.every(
    (key) => Object.hasOwn(other, key) && isEqual(one[key as keyof object], other[key as keyof object], budget),
  );
}

function countKeys(value: object, budget: Budget): number {
  const { length } = Object.keys(value);
  budget.spend(length);
  return length;
}

/** Two values have the same text only if they are equal. */
export function canonical(value: unknown, budget: Budget): string {
  budget.spend(20);
  if (typeof value === 'string') budget.spend(stepsOf(value));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, budget)).join()}]`;
  const keys = Object.keys(value).sort();
  budget.spend(keys.length * 40);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key as keyof object], budget)}`).join()}}`;
}

/** Whether a text has more characters (code points) than `limit`. */
export function isLongerThan(text: string, limit: number, budget: Budget): boolean {
  if (text.length <= limit) return false;
  // A code point takes at most two UTF-16 units.
  if (text.length > limit * 2) return true;
  budget.spend(text.length >> 2);
  let count = 0;
  for (const _ of text) count += 1;
  return count > limit;
}
