import { type GraphQLField, getNamedType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { getDatamodel } from '../../src/db/generated/pothos.ts';
import { publicSchema } from '../../src/graphql/schema/schema.ts';

const { models } = getDatamodel().datamodel;

/** The GraphQL types whose names differ from their models. */
const TYPES: Readonly<Record<string, string>> = { Membership: 'Member', TimelineItem: 'HistoryItem' };

/** Models that the schema does not show as objects. */
const HIDDEN: Readonly<Record<string, string>> = {
  AuthorizationRecord: 'nobody reads codes and tokens: an app gets them once',
  ConversationPresence: '`presenceChanged` shows those that have not expired',
  ConversationCount: '`totalCount` and `total` of a list sum them up',
  DeploymentLogo: 'the branding of a deployment has the URL of its logo',
  DocumentCalls: '`Document.calls` sums them up',
  EndUserIssuer: 'it is a setting of the environment',
  EndUserToken: 'nobody reads tokens: the call that made one returns it once',
  RevokedEndUser: 'nobody reads revocations',
  FileContent: 'a file shows the size and the hash of its content',
  FileRemoval: 'nobody can read what is removed',
  FileUse: 'the messages of a conversation show its files',
  StoredFile: 'it is the type `File`, which shows complete files alone',
  PasswordReset: 'nobody reads links: they are sent or shown once',
  OutgoingMail: 'nobody reads mails: they are sent once',
  RegisteredApp: 'anybody can register an app: a connected app has its name and client ID',
  RecoveryCode: 'the call that made them returns them once',
  SecondFactor: '`Me.secondFactors` lists them',
  SignInTicket: 'nobody reads tickets: the sign-in that made one returns it once',
  SignInDomain: '`signInSettings` lists the domains',
  SsoIdentity: '`Member.ssoLinkedAt` shows it',
  SsoProvider: '`signInSettings` shows it',
  UsedSignInState: 'it only makes a response of a provider work once',
  BudgetReservation: '`Budget.reserved` shows their sum',
  LiveText: 'a text in progress shows in `turnEvents`',
  QueuedTurn: 'a waiting message shows as a message once its turn starts',
  IdempotencyRecord: 'it is part of the transport',
  TraceSpan: '`Run.trace` shows it as a model step or a call',
  Retention: 'it is a setting of the environment, and its last sweep',
};

/** Fields whose names differ from their relations. */
const NAMES: Readonly<Record<string, string>> = {
  'Conversation.items': 'history',
  'Conversation.logs': 'workflowLogs',
  'Run.items': 'history',
  'Run.logs': 'workflowLogs',
  'ConnectedApp.membership': 'member',
  'SavedView.membership': 'member',
  'Trigger.logs': 'workflowLogs',
  'WebhookDelivery.history': 'attempts',
};

/** Relations without a field. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'Workspace.memberships': 'the root field `members` lists them, for administrators',
  'Workspace.invitations': 'the root field `invitations` lists them, for administrators',
  'Workspace.sessions': "the root field `sessions` lists the caller's own, nobody reads those of others",
  'Workspace.workflows': 'the root field `workflows` lists them',
  'Workspace.deployments': 'the root field `deployments` lists them',
  'Workspace.audit': 'the root field `auditLog` lists it, for administrators',
  'Workspace.modelPrices': 'the root field `modelPrices` lists them',
  'Environment.budgets': 'a request reads one environment: the root field `budgets` lists them',
  'Run.budgets': 'the root field `budgets` lists them',
  'Environment.apiKeys': 'a request reads one environment: the root field `apiKeys` lists them',
  'Environment.conversations': 'a request reads one environment: the root field `conversations` lists them',
  'Environment.triggers': 'a request reads one environment: the root field `triggers` lists them',
  'Environment.resources': 'a request reads one environment: the root field `resources` lists them',
  'Environment.integrations': 'a request reads one environment: the root field `integrations` lists them',
  'Environment.webhookEndpoints': 'a request reads one environment: the root field `webhookEndpoints` lists them',
  'Environment.webhookDeliveries': 'each endpoint lists its own',
  'Environment.webhookAttempts': 'each delivery lists its own',
  'Environment.webhookReplays': 'each endpoint has its latest',
  'Environment.conversationNotes': 'each conversation lists its own',
  'Environment.savedViews': "the root field `savedViews` lists the caller's own, nobody reads those of others",
  'Environment.documents': 'a request reads one environment: the root field `documents` lists them',
  'Environment.documentVersions': 'each document lists its own',
  'Membership.apps': "the root field `connectedApps` lists the caller's own, nobody reads those of others",
  'Membership.savedViews': "the root field `savedViews` lists the caller's own, nobody reads those of others",
  'WebhookEndpoint.replays': 'its field `latestReplay` has the latest',
  'User.memberships': 'the root field `members` lists those of the workspace, `me` those of the caller',
  'User.invitations': 'the root field `invitations` lists them with their senders',
  'User.sessions': "the root field `sessions` lists the caller's own, nobody reads those of others",
  'Run.latestOf': 'it is the conversation of the run',
  'WorkflowLog.latestOf': 'it is the trigger of the entry',
};

/** Columns that refer to a row without a foreign key, and the fields that follow them. */
const SOFT_KEYS: Readonly<Record<string, readonly string[]>> = {
  'AuditEntry.actorId': ['actor'],
  'AuditEntry.subjectId': ['subject'],
  'DocumentVersion.authorId': ['author'],
  'Event.conversationId': ['conversation'],
  'Event.environmentId': ['environment'],
  'Event.resourceId': ['resource', 'integration'],
  'Run.environmentId': ['environment'],
  'Conversation.assigneeId': ['assignee'],
  'Conversation.workflowVersion': ['version'],
  'Run.workflowVersion': ['version'],
  'Trigger.conversationId': ['conversation'],
  'WebhookDelivery.replayId': ['replay'],
  'WorkflowLog.deploymentId': ['deployment'],
  'WorkflowLog.environmentId': ['environment'],
  'WorkflowLog.workflowId': ['workflow'],
  'WorkflowLog.workflowVersion': ['version'],
};

/** Columns that look like keys. */
const NO_KEYS: Readonly<Record<string, string>> = {
  'ConnectedApp.deploymentId': 'the API shows apps of members, which have no deployment',
  'Conversation.holderId': 'people read only the display name of who has the conversation',
  'AuditEntry.requestId': 'requests are not stored',
  'ConnectedApp.clientId': 'it is the URL of a document, or the ID of a registration',
  'Run.requestId': 'requests are not stored',
  'WorkflowLog.requestId': 'requests are not stored',
  'TimelineItem.callId': 'the item is the call',
  'TimelineItem.environmentId': 'its conversation has the environment',
  'Integration.signInVersion': 'it counts the changes of the row',
  'DocumentVersion.trustedId': 'it is the hash of the text',
  'WebhookAttempt.endpointId': 'its delivery has the endpoint',
  'WebhookDelivery.messageId': 'it is the ID of the event, or of no row',
  'WebhookEndpoint.positionId': 'it is a position in the log',
};

type Fields = Readonly<Record<string, GraphQLField<unknown, unknown>>>;

const typeOf = (model: string) => TYPES[model] ?? model;

function fieldsOf(model: string): Fields {
  const type = publicSchema.getType(typeOf(model));
  return isObjectType(type) || isInterfaceType(type) ? type.getFields() : {};
}

/** The type of the objects that a field leads to: itself, or the items of a page. */
function targetOf(field: GraphQLField<unknown, unknown> | undefined): string | undefined {
  if (!field) return undefined;
  const type = getNamedType(field.type);
  const nodes = isObjectType(type) && type.name.endsWith('Connection') ? type.getFields().nodes : undefined;
  return nodes ? getNamedType(nodes.type).name : type.name;
}

const relations = Object.entries(models).flatMap(([model, { fields }]) =>
  fields.flatMap(({ kind, name, type, isList }) =>
    kind === 'object' && !(model in HIDDEN) && !(type in HIDDEN)
      ? [{ at: `${model}.${name}`, model, name, target: typeOf(type), isList: isList === true }]
      : [],
  ),
);

describe('every foreign key', () => {
  it.each(relations)('$at has an object field, unless a reason is listed', ({ at, model, name, target }) => {
    if (EXCEPTIONS[at]) return;
    expect([at, targetOf(fieldsOf(model)[NAMES[at] ?? name])]).toEqual([at, target]);
  });

  it('has a field in the direction of its own row, without exception', () => {
    const known = new Set(relations.filter(({ isList }) => !isList).map(({ at }) => at));
    expect(Object.keys(EXCEPTIONS).filter((at) => known.has(at))).toEqual([]);
    expect(known.size).toBeGreaterThan(30);
  });

  it('is in the list of exceptions only if it exists and has no field', () => {
    const known = new Map(relations.map((relation) => [relation.at, relation]));
    const unused = Object.keys({ ...EXCEPTIONS, ...NAMES }).filter((at) => !known.has(at));
    expect(unused).toEqual([]);
    const superfluous = Object.keys(EXCEPTIONS).filter((at) => {
      const { model = '', name = '', target } = known.get(at) ?? {};
      return targetOf(fieldsOf(model)[name]) === target;
    });
    expect(superfluous).toEqual([]);
  });
});

describe('every column that refers to a row without a foreign key', () => {
  const columns = Object.entries(models).flatMap(([model, { fields }]) => {
    // In a key of several columns, the environment is that of both rows.
    const constrained = new Set(
      fields.flatMap(({ relationFromFields }) => {
        const names = (relationFromFields as readonly string[] | undefined) ?? [];
        return names.filter((name) => names.length === 1 || name !== 'environmentId');
      }),
    );
    return fields.flatMap(({ name, kind }) =>
      kind !== 'object' && /(Id|Version)$/.test(name) && !constrained.has(name) && !(model in HIDDEN)
        ? [`${model}.${name}`]
        : [],
    );
  });

  it('is known', () => {
    expect(columns.sort()).toEqual([...Object.keys(SOFT_KEYS), ...Object.keys(NO_KEYS)].sort());
  });

  it.each(Object.entries(SOFT_KEYS))('%s has an object field', (at, names) => {
    const fields = fieldsOf(at.split('.')[0] ?? '');
    expect(names.filter((name) => !fields[name])).toEqual([]);
  });
});
