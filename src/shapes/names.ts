import * as z from 'zod/mini';
import { LIMITS } from '../contract/limits.ts';
import { isModelName } from '../contract/model-name.ts';
import { text } from './kinds.ts';

/** The name of a key, a workspace or a member. */
export const displayName = text({ says: 'Display name', most: LIMITS.keyNameLength });

/** The name of a workflow or a deployment. */
export const workflowName = text({ says: 'Display name', most: LIMITS.workflowNameLength });

export const integrationName = text({
  says: 'A name for workflows to refer to, {bounds}',
  most: LIMITS.integrationNameLength,
  pattern: [/\S/, 'must not be blank'],
  // OpenAPI states no bounds of it.
  bounds: {},
});

/** The rule of a model's name. */
export const modelName = z
  .string()
  .check(z.refine(isModelName, 'must be demo, openai:NAME, anthropic:NAME or openai-compatible:NAME'));
