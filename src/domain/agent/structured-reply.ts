import { valueProblem } from '../json-schema/value-problem.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { type ModelMessage, REPAIR_REQUEST } from './model-port.ts';
import type { Reply } from './turn.ts';

type Schema = NonNullable<WorkflowConfig['outputSchema']>;

/** A reply that does not match the output schema, and the reason. */
export interface InvalidReply {
  readonly text: string;
  readonly problem: string;
}

/** The part of the instructions that states the output schema. */
export function schemaInstructions(schema: Schema): string {
  return `\n\nAnswer with one JSON object and nothing else. It has to match this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** Checks a reply against the deployment's output schema. Returns undefined if it matches. */
export function invalidReply({ outputSchema }: WorkflowConfig, text: string): InvalidReply | undefined {
  if (!outputSchema) return undefined;
  const value = parsedObject(text);
  const problem = value ? valueProblem(outputSchema, value) : 'it is not one JSON object';
  return problem === undefined ? undefined : { text, problem };
}

/** The model's invalid reply, and a request to correct it. */
export function repairRequest({ text, problem }: InvalidReply): ModelMessage[] {
  const request = `${REPAIR_REQUEST} ${problem}. Answer again, with the JSON object alone.`;
  // Providers reject empty replies.
  const reply: ModelMessage[] = text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  return [...reply, { role: 'user', content: request }];
}

/** The content of a reply for clients: the parsed object if the deployment has an output schema. */
export function replyOf({ outputSchema }: WorkflowConfig, text: string): Reply {
  return (outputSchema && parsedObject(text)) ?? text;
}

/** Models often put JSON into a code fence. */
const FENCED = /^\s*```(?:json)?\s([\s\S]*)```\s*$/i;

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(FENCED.exec(text)?.[1] ?? text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
