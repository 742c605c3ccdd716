import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { HTTP_METHODS } from '../../contract/statuses.ts';
import { RESOURCE_TOOLS } from '../../contract/tool-names.ts';
import { headersInput } from '../headers-input.ts';
import { atMost, jsonSchema, toolName, within } from './draft-fields.ts';
import { placeholdersOf, templateProblem } from './url-template.ts';

const integrationName = atMost(LIMITS.integrationNameLength).regex(/\S/, 'must not be blank');

/** What proves who asks belongs where it is sealed. */
const SECRET_HEADERS = /^(authorization|cookie|x-api-key)$/i;

const headers = headersInput.superRefine((given, context) => {
  for (const [index, { name }] of (given ?? []).entries()) {
    if (!SECRET_HEADERS.test(name)) continue;
    const message = 'is for an integration, whose header values are sealed: what is written here can be read';
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
});

const httpAction = z
  .object({
    name: toolName,
    description: atMost(LIMITS.toolDescriptionLength).nullish(),
    integration: integrationName.nullish(),
    method: z.enum(HTTP_METHODS).nullish(),
    url: atMost(LIMITS.addressLength),
    headers,
    inputSchema: jsonSchema.nullish(),
    timeoutSeconds: within(1, LIMITS.actionSeconds).nullish(),
  })
  .superRefine(({ url, integration, inputSchema }, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['url'], message });
    const problem = templateProblem(url, { isRelative: integration != null });
    if (problem) return refuse(problem);
    const required: unknown = inputSchema?.required;
    const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
    const open = placeholdersOf(url).find((name) => !isRequired(name));
    if (open) refuse(`must have only placeholders that inputSchema requires, and it does not require ${open}`);
  });

const mcpServer = z.object({
  name: toolName.max(32, 'must have at most 32 characters'),
  integration: integrationName,
  tools: z
    .array(z.string().min(1, 'must not be blank').max(LIMITS.mcpToolNameLength, 'must have at most 128 characters'))
    .max(LIMITS.mcpTools, `must name at most ${LIMITS.mcpTools} tools`)
    .nullish(),
  timeoutSeconds: within(1, LIMITS.actionSeconds).nullish(),
});

/** The fields of a draft that say what the server runs for the model. */
export const actionFields = {
  httpActions: z.array(httpAction).max(LIMITS.httpActions, `must hold at most ${LIMITS.httpActions} actions`).nullish(),
  mcpServers: z.array(mcpServer).max(LIMITS.mcpServers, `must hold at most ${LIMITS.mcpServers} servers`).nullish(),
  resourceTools: z
    .array(z.enum(RESOURCE_TOOLS))
    .refine((tools) => new Set(tools).size === tools.length, 'must name each tool once')
    .nullish(),
};
