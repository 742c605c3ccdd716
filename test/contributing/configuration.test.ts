import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationJsonSchema } from '../../src/cli/configuration/file-schema.ts';
import { workflowConfig } from '../../src/domain/workflows/config.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { COMPLETE } from '../support/complete-configuration.ts';
import { filesOf } from '../support/imports.ts';

/** Mutations that are not configuration, by the reason. */
const NOT_CONFIGURATION: Readonly<Record<string, readonly string[]>> = {
  'conversations, turns and files are data': [
    'addConversationNote',
    'assignConversation',
    'cancelRun',
    'completeUpload',
    'createUpload',
    'deleteConversation',
    'deleteConversationNote',
    'editMessage',
    'forkConversation',
    'handBack',
    'rateMessage',
    'regenerateTurn',
    'renameConversation',
    'resumeAgentTurn',
    'runAgentTurn',
    'runOnce',
    'selectVariant',
    'sendAsMember',
    'sendMessage',
    'setPresence',
    'stopTurn',
    'suggestReply',
    'takeOver',
    'testDraft',
    'updateConversation',
  ],
  'resources and triggers are data of the customer': [
    'createResource',
    'createTrigger',
    'deleteResource',
    'deleteTrigger',
    'updateResource',
  ],
  'a file says what runs: `--prune` takes deployments offline and deletes no workflow': [
    'deleteDeployment',
    'deleteWorkflow',
  ],
  'end users and their tokens are data': ['createEndUserToken', 'eraseEndUser', 'revokeEndUserTokens'],
  'the workspace has members and single sign-on, and people decide about them': [
    'inviteMember',
    'removeMember',
    'revokeInvitation',
    'updateMember',
    'updateWorkspace',
    'updateSignInSettings',
    'resetSecondFactors',
  ],
  'one member uses them for their own account': [
    'acceptInvitation',
    'allowApp',
    'denyApp',
    'disconnectApp',
    'changePassword',
    'updateMe',
    'completeSignIn',
    'confirmSecondFactor',
    'createRecoveryCodes',
    'removeSecondFactor',
    'startSecondFactor',
    'createSavedView',
    'deleteSavedView',
    'requestPasswordReset',
    'resetPassword',
    'revokeSession',
    'signIn',
    'signInToIntegration',
    'signOut',
    'signOutOfIntegration',
    'updateSavedView',
  ],
  'a file that is applied twice must not rotate secrets, send messages or test again': [
    'replayWebhookDeliveries',
    'replayWebhookDelivery',
    'rotateApiKey',
    'rotateWebhookSecret',
    'sendTestWebhook',
    'testEndUserIssuer',
    'testModel',
    'testSignInSettings',
  ],
  'apply publishes a configuration instead, whatever its number is': ['rollBackDeployment'],
};

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

const file = configurationJsonSchema() as JsonSchema;

/** The fields of the object, of the items of the list, or of the value that can also be null. */
function fieldsOf(schema: JsonSchema | undefined): Readonly<Record<string, JsonSchema>> {
  if (!schema) return {};
  if (schema.properties) return schema.properties;
  return fieldsOf(schema.items ?? schema.anyOf?.find(({ properties, items }) => properties ?? items));
}

/** Each input of the API with its part of the file, and fields that have another name or are not in the file. */
const INPUTS: readonly (readonly [string, string, Readonly<Record<string, string | null>>])[] = [
  ['CreateWorkflowInput', 'workflows', { draft: 'config' }],
  ['UpdateWorkflowInput', 'workflows', { draft: 'config', ifRevision: null, workflowId: null }],
  ['SetTriggerRequiredInput', 'workflows', { workflowId: null }],
  ['CreateDeploymentInput', 'deployments', { workflowId: 'workflow' }],
  ['UpdateDeploymentInput', 'deployments', { deploymentId: null }],
  ['ConnectIntegrationInput', 'integrations', { 'headers.value': 'headers.env' }],
  ['UpdateIntegrationInput', 'integrations', { id: null, 'headers.value': 'headers.env' }],
  ['PublishDocumentInput', 'documents', { acknowledgeBreaking: null, ifVersion: null }],
  ['CreateWebhookEndpointInput', 'webhooks', {}],
  ['UpdateWebhookEndpointInput', 'webhooks', { id: null }],
  ['CreateApiKeyInput', 'apiKeys', { deploymentIds: 'deployments' }],
  ['UpdateApiKeyInput', 'apiKeys', { id: null, deploymentIds: 'deployments' }],
  ['SetModelPriceInput', 'modelPrices', {}],
  [
    'SetBudgetInput',
    'budgets',
    { deploymentId: 'deployment', conversationId: null, runId: null, endUser: null, visitors: null },
  ],
  ['SetTimeZoneInput', 'environment', {}],
  ['SetEndUserIssuerInput', 'endUserIssuer', { deploymentIds: 'deployments', 'signIn.clientSecret': 'signIn.env' }],
  ['SetEnvironmentLimitsInput', 'limits', {}],
  ['SetRetentionInput', 'retention', {}],
];

/** The fields of an input, with the fields of their inputs, that the file does not have. */
function missingFields(
  input: string,
  schema: JsonSchema | undefined,
  names: Readonly<Record<string, string | null>>,
  prefix = '',
): string[] {
  const type = publicSchema.getType(input);
  if (!isInputObjectType(type)) throw new Error(`${input} is not an input.`);
  const fields = fieldsOf(schema);
  return Object.values(type.getFields()).flatMap((field) => {
    const path = `${prefix}${field.name}`;
    const name = names[path] === undefined ? field.name : names[path]?.slice(prefix.length);
    if (name === undefined) return [];
    const found = fields[name];
    if (!found) return [path];
    const inner = getNamedType(field.type);
    return isInputObjectType(inner) ? missingFields(inner.name, found, names, `${path}.`) : [];
  });
}

describe('A new mutation', () => {
  it('is used by apply, or in the table of mutations that are not configuration', () => {
    const code = filesOf('src/cli/configuration')
      .map(({ text }) => text)
      .join('\n');
    const mutations = Object.keys(publicSchema.getMutationType()?.getFields() ?? {});
    const used = mutations.filter((name) => code.includes(`'${name}'`));
    expect([...used, ...Object.values(NOT_CONFIGURATION).flat()].sort()).toEqual(mutations.sort());
  });
});

describe('A new field of an input', () => {
  it.each(INPUTS)('of %s is in the configuration file', (input, section, names) => {
    expect(missingFields(input, file.properties?.[section], names)).toEqual([]);
  });

  it.each(Object.keys(file.properties ?? {}).filter((name) => name !== 'version'))(
    'of %s is in the file that the tests apply, export and apply elsewhere',
    (section) => {
      const value: unknown = parse(COMPLETE)[section];
      const used = (Array.isArray(value) ? value : [value]).flatMap(Object.keys);
      const fields = Object.keys(fieldsOf(file.properties?.[section])).sort();
      expect([...new Set(used)].sort(), 'Add the field to test/support/complete-configuration.ts').toEqual(fields);
    },
  );

  it('of the configuration of a workflow is exported', () => {
    const type = publicSchema.getType('WorkflowConfig');
    const fields = isObjectType(type) ? Object.keys(type.getFields()) : [];
    expect(Object.keys(workflowConfig.shape).sort()).toEqual(fields.sort());
    expect(Object.keys(fieldsOf(fieldsOf(file.properties?.workflows).config)).sort()).toEqual(fields.sort());
    expect(Object.keys(parse(COMPLETE).workflows[0].config).sort()).toEqual(fields.sort());
  });
});
