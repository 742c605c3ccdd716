import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { isModelName } from '../../contract/model-name.ts';
import { TOOL_AVAILABILITIES } from '../../contract/statuses.ts';
import { COMPLETION_TOOL, TOOL_NAME_PATTERN } from '../../contract/tool-names.ts';
import { schemaProblem } from '../json-schema.ts';
import { type WorkflowConfig, workflowConfig } from './config.ts';

/** A tenant's JSON Schema, which this service will run. */
const jsonSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  const problem = schemaProblem(schema);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

const within = (least: number, most: number) => {
  const rule = `must be from ${least} to ${most}`;
  return z.int('must be a whole number').min(least, rule).max(most, rule);
};

const atMost = (length: number) =>
  z.string().max(length, `must have at most ${length.toLocaleString('en')} characters`);

const clientTool = z.object({
  name: z
    .string()
    .regex(TOOL_NAME_PATTERN, 'must be 1 to 64 letters, digits, "_" or "-", beginning with a letter')
    .refine((name) => name !== COMPLETION_TOOL, `must not be ${COMPLETION_TOOL}, which the server runs`),
  description: atMost(LIMITS.toolDescriptionLength).nullish(),
  availability: z.enum(TOOL_AVAILABILITIES).nullish(),
  inputSchema: jsonSchema.nullish(),
});

/** A change of a draft: a field that is given replaces what is there, and null puts its default back. */
export const draftChange = z.object({
  instructions: atMost(LIMITS.instructionsLength).nullish(),
  model: z
    .string()
    .refine(isModelName, 'must be demo, openai:NAME, anthropic:NAME or openai-compatible:NAME')
    .nullish(),
  outputSchema: jsonSchema.nullish(),
  clientTools: z
    .array(clientTool)
    .max(LIMITS.clientTools, `must hold at most ${LIMITS.clientTools} tools`)
    .refine((tools) => new Set(tools.map(({ name }) => name)).size === tools.length, 'must name each tool once')
    .nullish(),
  allowConversationCompletion: z.boolean().nullish(),
  titleModel: z.boolean().nullish(),
  timeoutSeconds: within(1, LIMITS.timeoutSeconds).nullish(),
  historyLimit: within(0, LIMITS.historyLimit).nullish(),
  maxSteps: within(1, LIMITS.modelSteps).nullish(),
});

export type DraftChange = z.output<typeof draftChange>;

/** The draft after a change. */
export function changedDraft(draft: unknown, { clientTools, ...change }: DraftChange): WorkflowConfig {
  const tools = clientTools === undefined ? {} : { clientTools: clientTools?.map(withoutNulls) ?? null };
  const given = Object.entries({ ...change, ...tools }).filter(([, value]) => value !== undefined);
  return workflowConfig.parse(withoutNulls({ ...workflowConfig.parse(draft), ...Object.fromEntries(given) }));
}

/** What is left takes its default. */
function withoutNulls(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}
