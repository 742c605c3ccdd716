import type { Check } from './check-result.tsx';

export type Parameter = NonNullable<Check['route']>['parameters'][number];

const SCALARS: Readonly<Record<string, unknown>> = { Int: 1, SafeInt: 1, Float: 1, Boolean: true, String: 'text' };

/** A value to start from: right for scalars. Fields of an input object are left to the user. */
function exampleOf(type: string): unknown {
  const named = type.replace(/!$/, '');
  if (named.startsWith('[')) return [];
  if (named in SCALARS) return SCALARS[named];
  return /Input$|Filter$|By$|JSON/.test(named) ? {} : '';
}

/** Values of the variables that a call needs. A header is one too, but has no variable's name. */
export function exampleVariables(parameters: readonly Parameter[]): Readonly<Record<string, unknown>> {
  const required = parameters.filter(({ required: isRequired, place }) => isRequired && place !== 'HEADER');
  return Object.fromEntries(required.map(({ name, type }) => [name, exampleOf(type)]));
}
