import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form';
import type { RequestError } from '../request-error.ts';

/** Corrects the path of a field if the form nests it otherwise than the service does. */
export type FieldMapping<Values> = (path: string, values: Values) => string;

/**
 * Shows an error at the field that the service names. If the form has no such field, the error becomes the form's own.
 * @returns whether a field shows the error
 */
export function showServerError<Values extends FieldValues, Output>(
  form: UseFormReturn<Values, unknown, Output>,
  { message, param }: RequestError,
  mapField: FieldMapping<Values> = (path) => path,
): boolean {
  const values = form.getValues();
  const field = param === null ? undefined : fieldIn(values, mapField(pathOf(param), values));
  // The path was found in the form's own values.
  form.setError((field ?? 'root') as FieldPath<Values>, { type: 'server', message }, { shouldFocus: true });
  return field !== undefined;
}

/** `input.draft.clientTools[0].name` becomes `clientTools.0.name`. */
const pathOf = (param: string) =>
  param
    .replace(/^input\./, '')
    .replace(/^draft\./, '')
    .replace(/\[(\d+)\]/g, '.$1');

/** The longest part of a path that the form has: an error inside a JSON text belongs to the text's field. */
function fieldIn(values: unknown, path: string): string | undefined {
  const found: string[] = [];
  let value = values;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) break;
    found.push(name);
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return found.length > 0 ? found.join('.') : undefined;
}
