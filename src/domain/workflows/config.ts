import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { TOOL_AVAILABILITIES } from '../../contract/statuses.ts';

const clientTool = z.object({
  name: z.string(),
  description: z.string().default(''),
  availability: z.enum(TOOL_AVAILABILITIES).default('when_connected'),
  /** JSON Schema of the arguments; without one any object will do. */
  inputSchema: z.record(z.string(), z.unknown()).optional(),
});

/** What a workflow's draft holds and a version freezes: how the assistant is to run. */
export const workflowConfig = z.object({
  /** `{{NAME}}` is filled from the conversation's variables. */
  instructions: z.string().default(''),
  /** `provider:model`; without one the service's DEFAULT_MODEL. */
  model: z.string().optional(),
  clientTools: z.array(clientTool).default([]),
  /** JSON Schema of the reply, of type object: then the model answers with JSON, and `content` is the parsed object. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** The model writes a conversation's name after its first reply. */
  titleModel: z.boolean().default(false),
  allowConversationCompletion: z.boolean().default(false),
  /** Longest that one model step may take. */
  timeoutSeconds: z.int().min(1).max(LIMITS.timeoutSeconds).default(120),
  /** Earlier message pairs that the model is given where a turn does not say. */
  historyLimit: z.int().min(0).max(LIMITS.historyLimit).default(LIMITS.defaultHistoryLimit),
  /** Steps of one round in which the model may call tools; after them it has to answer. */
  maxSteps: z.int().min(1).max(LIMITS.modelSteps).default(LIMITS.modelSteps),
});

export type WorkflowConfig = z.output<typeof workflowConfig>;
export type WorkflowConfigInput = z.input<typeof workflowConfig>;
