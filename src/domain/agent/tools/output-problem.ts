import type { z } from 'zod';
import { type FieldPath, ServiceError } from '../../../contract/errors.ts';
import { reason } from '../../input.ts';

export type ToolOutput = Readonly<Record<string, unknown>>;

/** Throws unless an output follows the rules of its tool. `param` is the path of the output in the request. */
export type OutputCheck = (args: ToolOutput, output: ToolOutput, param: FieldPath) => void;

export function invalidResult(message: string, param: FieldPath): ServiceError {
  return new ServiceError('invalid_tool_result', message, { param });
}

/** @throws {ServiceError} invalid_tool_result */
export function parseOutput<Schema extends z.ZodType>(
  schema: Schema,
  output: ToolOutput,
  param: FieldPath,
): z.output<Schema> {
  const parsed = schema.safeParse(output, { error: reason });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).filter((step) => typeof step !== 'symbol').map(wireName);
  throw invalidResult(`{param} ${issue?.message ?? 'is not valid'}.`, [...param, ...path]);
}

function wireName(step: string | number): string | number {
  if (step === 'mimeType') return 'mime_type';
  return step === 'fileUri' ? 'file_uri' : step;
}
