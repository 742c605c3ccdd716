import { ServiceError } from '../../contract/errors.ts';
import type { ObjectSchema } from './input-schema.ts';
import type { Arguments } from './tool-input.ts';

/**
 * The arguments of a tool that is no document, as its schema describes them: texts, whole numbers and objects. An argument
 * that is null is absent.
 * @throws {ServiceError} invalid_request
 */
export function ownArguments({ properties = {}, required = [] }: ObjectSchema, args: Arguments): Arguments {
  const given = Object.entries(args).filter(([, value]) => value !== null);
  for (const [name, value] of given) {
    const schema = properties[name];
    if (!schema)
      throw new ServiceError('invalid_request', '{param} is not an argument of this tool.', { param: [name] });
    const { type, minimum = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
    if (type === 'string') requireText(name, value, maxLength);
    else if (type === 'integer') requireNumber(name, value, minimum);
    else if (typeof value !== 'object' || Array.isArray(value)) throw invalid(name, 'must be an object');
  }
  const missing = required.find((name) => !given.some(([own]) => own === name));
  if (missing !== undefined) throw invalid(missing, 'is required');
  return Object.fromEntries(given);
}

function requireText(name: string, value: unknown, maxLength: number): void {
  if (typeof value !== 'string' || value.trim() === '') throw invalid(name, 'must be a text');
  if (value.length > maxLength) throw invalid(name, `must have at most ${maxLength} characters`);
}

function requireNumber(name: string, value: unknown, minimum: number): void {
  if (!Number.isSafeInteger(value) || Number(value) < minimum) {
    throw invalid(name, `must be a whole number from ${minimum}`);
  }
}

const invalid = (name: string, problem: string) =>
  new ServiceError('invalid_request', `{param} ${problem}.`, { param: [name] });
