import type { ModelMessage } from 'ai';
import { valueProblem } from '../json-schema.ts';
import type { WorkflowConfig } from '../workflows/config.ts';
import { REPAIR_REQUEST } from './model-port.ts';
import type { Reply } from './turn.ts';

type Schema = NonNullable<WorkflowConfig['outputSchema']>;

/** An answer that does not match the output schema, and why. */
export interface RefusedReply {
  readonly text: string;
  readonly problem: string;
}

/** What the model is told of the output schema, behind the deployment's instructions. */
export function schemaInstructions(schema: Schema): string {
  return `\n\nAnswer with one JSON object and nothing else. It has to match this JSON Schema:\n${JSON.stringify(schema)}`;
}

/** What keeps an answer from being a reply of this deployment; undefined where nothing does. */
export function refusedReply({ outputSchema }: WorkflowConfig, text: string): RefusedReply | undefined {
  if (!outputSchema) return undefined;
  const value = parsedObject(text);
  const problem = value ? valueProblem(outputSchema, value) : 'it is not one JSON object';
  return problem === undefined ? undefined : { text, problem };
}

/** The model's own answer, and what is wrong with it. */
export function repairRequest({ text, problem }: RefusedReply): ModelMessage[] {
  const request = `${REPAIR_REQUEST} ${problem}. Answer again, with the JSON object alone.`;
  // An empty answer is nothing that a provider would take back.
  const said: ModelMessage[] = text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  return [...said, { role: 'user', content: request }];
}

/** A reply's text as it is given to clients: the parsed object where the deployment has an output schema (WIRE 9). */
export function replyOf({ outputSchema }: WorkflowConfig, text: string): Reply {
  return (outputSchema && parsedObject(text)) ?? text;
}

/** Models like to put JSON into a code fence. */
const FENCED = /^\s*```(?:json)?\s([\s\S]*)```\s*$/i;

function parsedObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(FENCED.exec(text)?.[1] ?? text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
