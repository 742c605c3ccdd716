import { Pace } from '../../bounds/pace.ts';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import type { Schema } from '../json-schema/schema.ts';
import { schemaProblem } from '../json-schema/schema-problem.ts';
import type { DraftChange } from './draft-input.ts';

/**
 * Validates the JSON Schemas of a draft. There can be a hundred, so it lets other requests run in between.
 * @throws {ServiceError} invalid_request
 */
export async function requireUsableSchemas(draft: DraftChange): Promise<void> {
  const pace = new Pace();
  for (const [schema, param] of schemasOf(draft)) {
    if (!schema) continue;
    await pace.pause();
    const problem = schemaProblem(schema);
    if (problem) throw new ServiceError('invalid_request', `{param} ${problem}.`, { param: ['draft', ...param] });
  }
}

type SchemaAt = [Schema | null | undefined, FieldPath];

function schemasOf(draft: DraftChange): SchemaAt[] {
  const toolsOf = (field: 'clientTools' | 'httpActions') =>
    (draft[field] ?? []).map(({ inputSchema }, index): SchemaAt => [inputSchema, [field, index, 'inputSchema']]);
  const approvalsOf = (field: 'httpActions' | 'mcpServers') =>
    (draft[field] ?? []).map(({ approval }, index): SchemaAt => [approval?.when, [field, index, 'approval', 'when']]);
  return [
    [draft.outputSchema, ['outputSchema']],
    ...toolsOf('clientTools'),
    ...toolsOf('httpActions'),
    ...approvalsOf('httpActions'),
    ...approvalsOf('mcpServers'),
    ...(draft.toolApprovals ?? []).map(({ when }, index): SchemaAt => [when, ['toolApprovals', index, 'when']]),
  ];
}
