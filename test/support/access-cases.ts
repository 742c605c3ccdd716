import { NODES_WITHOUT_MARKER, SESSION_NODES, SHARED_NODES } from './graph-operations.ts';
import { WORKFLOW_OPERATIONS } from './workflow-operations.ts';

/** Root fields and routes that need no credentials. */
export const PUBLIC: readonly string[] = [
  'Query.trigger',
  'GET /v1/runner/{deployment_id}/trigger/{trigger_id}',
  'Query.widgetMeta',
  'GET /v1/runner/{deployment_id}/widget-meta',
];

/** Operations on data of the workspace, which its other environment can use as well. */
export const WORKSPACE_DATA: readonly string[] = [
  'Query.modelPrices',
  'Mutation.setModelPrice',
  'Mutation.createTrigger',
  'POST /v1/runner/{deployment_id}/trigger',
  'Mutation.createEndUserToken',
  'POST /v1/runner/{deployment_id}/end-user-tokens',
  ...WORKFLOW_OPERATIONS,
  'Subscription.draftTurn',
  ...SHARED_NODES,
  'POST /v1/workflow/{workflow_id}/trigger-settings',
];

/** Operations for which every caller creates or owns separate data. */
export const OWN_DATA: readonly string[] = [
  ...Object.keys(SESSION_NODES),
  'Mutation.createResource',
  'POST /v1/resources',
  'POST /mcp create_resource',
  'GET /v1/x/openapi.json',
  'GET /v1/x/documents.d.ts',
  'GET /v1/x/documents.zod.ts',
  'Mutation.createApiKey',
  'Mutation.revokeEndUserTokens',
  'Mutation.eraseEndUser',
  'Query.endUserIssuer',
  'Mutation.removeEndUserIssuer',
  'Mutation.testEndUserIssuer',
  'POST /v1/end-users/revoke',
  'POST /v1/end-users/erase',
  'Mutation.setModelPrice',
  'Query.apiKeys',
  'Mutation.connectIntegration',
  'Mutation.createWebhookEndpoint',
  'Mutation.createWorkflow',
  'Query.workflows',
  'Query.availableModels',
  'Query.setupProgress',
  'Query.me',
  'GET /v1/me',
  'Query.sessions',
  'Mutation.signOut',
  'DELETE /v1/sessions/current',
  'Mutation.changePassword',
  'Mutation.removeSecondFactor',
  'Mutation.createRecoveryCodes',
  'Query.auditLog',
  'Query.members',
  'Query.signInSettings',
  'Mutation.updateSignInSettings',
  'Mutation.testSignInSettings',
  'Query.invitations',
  'Mutation.inviteMember',
  'Query.conversationTotals',
  'GET /v1/conversations/totals',
  'GET /v1/conversations/export',
  'Query.savedViews',
  'Mutation.createSavedView',
  'Query.documentCheck',
  'Mutation.publishDocument',
  'Subscription.environmentExport',
  'GET /v1/export',
  'Query.retention',
  'Mutation.setRetention',
  'Query.environmentLimits',
  'Mutation.setEnvironmentLimits',
];

/** Other tests cover the operations of people without a session: they open one, or set a password. */
export const SESSION_OPENERS: readonly string[] = [
  'Mutation.signIn',
  'POST /v1/sessions',
  'Mutation.acceptInvitation',
  'Mutation.completeSignIn',
  'POST /v1/sessions/second-factor',
  'Mutation.startSecondFactor',
  'Mutation.confirmSecondFactor',
  'Query.invitationOffer',
  'Mutation.requestPasswordReset',
  'POST /v1/password-reset-requests',
  'Mutation.resetPassword',
  'POST /v1/password-resets',
];

export const SESSION_CLOSERS: readonly string[] = ['Mutation.signOut', 'DELETE /v1/sessions/current'];

/** The error for an allowed caller if the request in the row is not valid. */
export const EXPECTED_ERRORS: Readonly<Record<string, string>> = {
  'Mutation.resumeAgentTurn': 'invalid_tool_result',
  'Mutation.removeModelPrice': 'not_found',
  'Mutation.deleteWorkflow': 'in_use',
  'Mutation.deleteDeployment': 'in_use',
  'DELETE /v1/workflow/{workflow_id}': 'in_use',
  'DELETE /v1/deployments/{deployment_id}': 'in_use',
  'Mutation.revokeSession': 'not_found',
  'Mutation.removeEndUserIssuer': 'not_found',
  'Mutation.testEndUserIssuer': 'invalid_request',
  'Mutation.testSignInSettings': 'invalid_request',
  'Mutation.updateSavedView': 'not_found',
  'Mutation.deleteSavedView': 'not_found',
  'Mutation.changePassword': 'invalid_request',
  'Mutation.removeSecondFactor': 'invalid_request',
  'Mutation.createRecoveryCodes': 'invalid_request',
};

/** Reads that contain nothing of the fixtures for any caller. */
export const WITHOUT_MARKER: readonly string[] = [
  'Query.availableModels',
  'Query.setupProgress',
  ...NODES_WITHOUT_MARKER,
  'Query.widgetMeta',
  'GET /v1/runner/{deployment_id}/widget-meta',
  'Query.usage',
  'Query.ratings',
  'Query.conversationTotals',
  'GET /v1/conversations/totals',
  'Query.savedViews',
  'Query.documentCheck',
  'POST /mcp search_schema',
  'POST /mcp read_type',
  'POST /mcp check_document',
  'GET /v1/x/documents.zod.ts',
  'Query.me',
  'GET /v1/me',
  'Query.sessions',
  'Query.auditLog',
  'Query.retention',
  'Query.environmentLimits',
  'Query.signInSettings',
  'Query.endUserIssuer',
];
