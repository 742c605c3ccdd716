import type { introspection } from '../../../schema/introspection.d.ts';

type PayloadName = Extract<introspection['__schema']['types'][number]['name'], `${string}Payload`>;

/**
 * What a toast says after a mutation. A mutation without a line shows its result on the page: a saved form says so, and a
 * new secret appears in a dialog.
 */
const DONE: Readonly<Partial<Record<PayloadName, string>>> = {
  AssignConversationPayload: 'Conversation assigned',
  ConnectIntegrationPayload: 'Integration connected',
  CreateDeploymentPayload: 'Deployment created',
  CreateResourcePayload: 'Resource created',
  CreateWorkflowPayload: 'Workflow created',
  DeleteConversationPayload: 'Conversation deleted',
  DeleteConversationNotePayload: 'Note deleted',
  DeleteDeploymentPayload: 'Deployment deleted',
  DeleteResourcePayload: 'Resource deleted',
  DeleteTriggerPayload: 'Trigger deleted',
  DeleteWebhookEndpointPayload: 'Endpoint deleted',
  DeleteWorkflowPayload: 'Workflow deleted',
  DisableWebhookEndpointPayload: 'Endpoint disabled',
  DisconnectAppPayload: 'App disconnected',
  DisconnectIntegrationPayload: 'Integration disconnected',
  EnableWebhookEndpointPayload: 'Endpoint enabled',
  ForkConversationPayload: 'Conversation forked',
  PublishDocumentPayload: 'Operation published',
  RemoveBudgetPayload: 'Budget removed',
  RemoveMemberPayload: 'Member removed',
  RemoveModelPricePayload: 'Price removed',
  ReplayWebhookDeliveryPayload: 'Delivery sent again',
  ResetSecondFactorsPayload: 'Second factors reset',
  RevokeApiKeyPayload: 'API key revoked',
  RevokeInvitationPayload: 'Invitation revoked',
  RevokeSessionPayload: 'Session ended',
  RollBackDeploymentPayload: 'Version changed',
  SendTestWebhookPayload: 'Test event sent',
  SetBudgetPayload: 'Budget saved',
  SetModelPricePayload: 'Price saved',
  UnpublishDeploymentPayload: 'Deployment unpublished',
  DeleteDocumentPayload: 'Operation deleted',
  UpdateApiKeyPayload: 'API key saved',
  SignOutOfIntegrationPayload: 'Signed out of the MCP server',
  UpdateIntegrationPayload: 'Integration saved',
  UpdateMemberPayload: 'Role changed',
  UpdateSignInSettingsPayload: 'Sign-in settings saved',
  UpdateWebhookEndpointPayload: 'Endpoint saved',
};

/** The text of the toast, if the mutation has one. */
export const doneOf = (payload: string): string | undefined => DONE[payload as PayloadName];
