import { z } from 'zod';

/** When a client tool may be called (SPEC 2): only where the request advertises it, or always. */
const AVAILABILITY = ['when_connected', 'always'] as const;

const clientTool = z.object({
  name: z.string(),
  description: z.string(),
  availability: z.enum(AVAILABILITY).default('when_connected'),
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
  timeoutSeconds: z.int().min(1).max(600).default(120),
});

export type WorkflowConfig = z.output<typeof workflowConfig>;
export type WorkflowConfigInput = z.input<typeof workflowConfig>;
