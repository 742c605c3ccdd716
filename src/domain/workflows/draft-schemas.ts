import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import type { Schema } from '../json-schema/schema.ts';
import { schemaProblem } from '../json-schema/schema-problem.ts';
import type { DraftChange } from './draft-input.ts';

/**
 * Validates the JSON Schemas of a draft. There can be a hundred, so it lets other requests run in between.
 * @throws {ServiceError} invalid_request
 */
export async function requireUsableSchemas(draft: DraftChange): Promise<void> {
  for (const [schema, param] of schemasOf(draft)) {
    if (!schema) continue;
    await nextTurn();
    const problem = schemaProblem(schema);
    if (problem) throw new ServiceError('invalid_request', `{param} ${problem}.`, { param: ['draft', ...param] });
  }
}

function schemasOf(draft: DraftChange): [Schema | null | undefined, FieldPath][] {
  const toolsOf = (field: 'clientTools' | 'httpActions') =>
    (draft[field] ?? []).map(({ inputSchema }, index): [typeof inputSchema, FieldPath] => [
      inputSchema,
      [field, index, 'inputSchema'],
    ]);
  return [[draft.outputSchema, ['outputSchema']], ...toolsOf('clientTools'), ...toolsOf('httpActions')];
}
