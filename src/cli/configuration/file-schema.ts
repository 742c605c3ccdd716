import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { EVENT_TYPES } from '../../contract/statuses.ts';
import { issuerInput } from '../../domain/access/end-users/end-user-issuer.ts';
import { keyInput } from '../../domain/access/keys/api-key-input.ts';
import { limitsInput } from '../../domain/access/workspaces/environment-limits.ts';
import { brandingInput } from '../../domain/branding/input.ts';
import { documentInput } from '../../domain/documents/publish.ts';
import { newIntegration } from '../../domain/integrations/connect.ts';
import { newEndpoint } from '../../domain/webhooks/endpoints.ts';
import { nameInput, newDeployment } from '../../domain/workflows/deployment-input.ts';
import { draftChange } from '../../domain/workflows/draft-input.ts';
import { API_KEY_SETTINGS } from '../../shapes/api-keys.ts';
import { END_USER_SIGN_IN, SET_END_USER_ISSUER } from '../../shapes/end-users.ts';
import {
  BUDGET_SETTINGS,
  RAISE_DEADLINE,
  SET_MODEL_PRICE,
  SET_RETENTION,
  SET_TIME_ZONE,
} from '../../shapes/environment.ts';
import { required, rulesOf, type TextsField } from '../../shapes/field.ts';
import { CONNECT_INTEGRATION } from '../../shapes/integrations.ts';
import { sized } from '../../shapes/kinds.ts';

/** The fields of an object are those that the domain accepts, so the file and the API have the same rules. */

const MOST_VERSIONS = 20;

const version = z.object({
  name: nameInput.check(z.describe('A name in this file. A deployment names it as its version.')),
  config: draftChange,
});

const workflow = z.object({
  name: nameInput,
  triggerRequired: z.boolean().default(false).describe('Whether conversations must start from a trigger.'),
  config: draftChange.default({}).describe('The draft. Deployments run it unless they name another version.'),
  versions: z
    .array(version)
    .max(MOST_VERSIONS, `must contain at most ${MOST_VERSIONS} versions`)
    .default([])
    .describe('Other configurations that deployments run.'),
});

const deployment = z.object({
  name: nameInput,
  workflow: nameInput.check(z.describe('The name of its workflow.')),
  kind: newDeployment.shape.kind,
  published: z.boolean().default(true).describe('Whether it is online.'),
  version: z
    .optional(nameInput)
    .describe('The name of a version of the workflow. Default: the config of the workflow.'),
  ...deploymentSettings().shape,
  branding: brandingInput.nullish(),
});

function deploymentSettings() {
  return newDeployment.omit({ name: true, kind: true, branding: true });
}

const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'must be the name of an environment variable, like CRM_TOKEN');

const header = z.object({
  name: z.string().min(1, 'must not be empty'),
  env: variable.describe('The environment variable with the whole value of the header. The file has no secrets.'),
});

const integration = z.object({
  ...newIntegration.shape,
  headers: z._default(sized(header, CONNECT_INTEGRATION.fields.headers), []),
});

const webhook = z.object({
  url: newEndpoint.shape.url,
  description: newEndpoint.shape.description,
  eventTypes: z
    .array(z.enum(EVENT_TYPES, `must be one of ${EVENT_TYPES.join(', ')}`))
    .min(1, 'must contain at least one type')
    .nullish()
    .describe('Default: all types of resources and integrations.'),
  enabled: z.boolean().default(true),
});

/** The names of the deployments whose IDs a field has. */
const deploymentNames = ({ most }: TextsField) =>
  z.array(nameInput).min(1, 'must not be empty').max(most, `must have at most ${most} items`);

const apiKey = z.object({
  name: keyInput.shape.name,
  scopes: keyInput.shape.scopes,
  requestsPerMinute: keyInput.shape.requestsPerMinute,
  expiresAt: z.iso.datetime({ offset: true, error: 'must be a time like 2027-01-31T00:00:00Z' }).nullish(),
  allowedIpRanges: keyInput.shape.allowedIpRanges,
  deployments: deploymentNames(API_KEY_SETTINGS.deploymentIds)
    .nullish()
    .describe('The names of the deployments that the key is bound to.'),
});

const modelPrice = z.object(rulesOf(SET_MODEL_PRICE.fields));

const budget = z.object({
  deployment: z
    .nullish(nameInput)
    .describe('The name of the deployment that it applies to. Default: it applies to the environment.'),
  ...rulesOf({ ...BUDGET_SETTINGS, ...RAISE_DEADLINE }),
});

const signIn = z.object({
  clientId: END_USER_SIGN_IN.fields.clientId.rule,
  env: variable.describe('The environment variable with the client secret. The file has no secrets.'),
});

const endUserIssuer = issuerInput.omit({ deploymentIds: true, signIn: true }).extend({
  signIn: signIn.nullish().describe(END_USER_SIGN_IN.says),
  deployments: deploymentNames(SET_END_USER_ISSUER.fields.deploymentIds).describe(
    'The names of the deployments that the JWTs work for.',
  ),
});

const { days, traceDays } = SET_RETENTION.fields;

const retention = z.object({
  days: days.rule,
  traceDays: z._default(required(traceDays).rule, LIMITS.defaultTraceDays),
});

/** The configuration file. `npm run schema` writes its JSON Schema. */
export const configurationFile = z.object({
  version: z.literal(1, 'must be 1').describe('The version of the file format.'),
  integrations: z.array(integration).optional(),
  workflows: z.array(workflow).optional(),
  deployments: z.array(deployment).optional(),
  documents: z.array(documentInput).optional(),
  webhooks: z.array(webhook).optional(),
  apiKeys: z.array(apiKey).optional(),
  modelPrices: z.array(modelPrice).optional(),
  environment: z.object(rulesOf(SET_TIME_ZONE.fields)).optional(),
  budgets: z.array(budget).optional(),
  endUserIssuer: endUserIssuer.nullable().optional().describe('null: the environment accepts no JWT.'),
  limits: limitsInput.optional(),
  retention: retention.optional(),
});

export type ConfigurationFile = z.output<typeof configurationFile>;
export type FileWorkflow = NonNullable<ConfigurationFile['workflows']>[number];
export type FileDeployment = NonNullable<ConfigurationFile['deployments']>[number];
export type FileIntegration = NonNullable<ConfigurationFile['integrations']>[number];
export type FileWebhook = NonNullable<ConfigurationFile['webhooks']>[number];
export type FileBudget = NonNullable<ConfigurationFile['budgets']>[number];
export type FileKey = NonNullable<ConfigurationFile['apiKeys']>[number];

/** The JSON Schema of the file, for editors. */
export function configurationJsonSchema(): object {
  const schema = z.toJSONSchema(configurationFile, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'object') jsonSchema.additionalProperties = false;
    },
  });
  return { title: 'Configuration of a Parley environment', ...schema };
}
