import type { Client, SendOptions } from './client.ts';
import { resultOf } from './results.ts';

/** The ID of an object, and the other fields of a mutation's input. */
interface Change {
  readonly id: number | string;
  readonly input: object;
  readonly ifRevision?: number;
}

const DEADLINE = 'expiresAfterSeconds onExpiry { mode output }';

const APPROVAL = `{ mode when approver allowAnonymous ${DEADLINE} }`;

const CONFIG = `{ instructions model outputSchema clientTools { name description availability inputSchema ${DEADLINE} }
  httpActions { name description integration method url headers { name value } inputSchema timeoutSeconds retrySafe approval ${APPROVAL} }
  mcpServers { name integration tools timeoutSeconds retrySafe approval ${APPROVAL} } resourceTools
  toolApprovals { tool mode when approver allowAnonymous ${DEADLINE} }
  allowConversationCompletion allowHandOver handOverAfterFailures handOverAfterBadRating handOverWaitMinutes handOverExpiry titleModel reasoning reasoningEffort maxReplyTokens temperature stopSequences modelParameters timeoutSeconds context contextTokens summaryModel summaryInstructions allowFileReading historyLimit maxSteps recovery maxAttempts
  runBudget { amount tokens warnAt onReached } conversationBudget { period amount tokens warnAt onReached } }`;

const WORKFLOW = `{ workflowId name revision triggerRequired draft ${CONFIG} }`;

const DEPLOYMENT = `{ deploymentId name kind publishedVersion hasUnpublishedChanges authRequired allowlist hostedPage
  dynamicClientTools doubleTextPolicy onReaderGone }`;

/** The administration of workflows and deployments, one request per operation. The default key is the service's. */
export function workflowsOf(service: Client) {
  const send = (document: string) => (variables: object, options?: SendOptions) =>
    service.graphql(document, variables, options);
  const change =
    (idField: string, document: string) =>
    ({ id, input, ...others }: Change, options?: SendOptions) =>
      service.graphql(document, { input: { [idField]: id, ...others, ...input } }, options);
  return {
    createWorkflow: send(
      `mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) { __typename ... on CreateWorkflowPayload { workflow ${WORKFLOW} } ... on Error { code message path } } }`,
    ),
    updateWorkflow: change(
      'workflowId',
      `mutation ($input: UpdateWorkflowInput!) {
        updateWorkflow(input: $input) { __typename ... on UpdateWorkflowPayload { workflow ${WORKFLOW} } ... on Error { code message path } } }`,
    ),
    workflow: send(
      `query ($id: ID!) { workflow(id: $id) { id workflowId name revision draft ${CONFIG}
        versions(first: 100) { nodes { number config ${CONFIG} createdAt } totalCount }
        deployments { nodes ${DEPLOYMENT} totalCount } } }`,
    ),
    publish: send(
      `mutation ($id: ID!, $deployments: [ID!]!, $ifRevision: Int) {
        publishWorkflow(input: { workflowId: $id, deploymentIds: $deployments, ifRevision: $ifRevision }) { __typename ... on PublishWorkflowPayload {
          isNew version { number config ${CONFIG} } deployments ${DEPLOYMENT} } ... on Error { code message path } } }`,
    ),
    createDeployment: change(
      'workflowId',
      `mutation ($input: CreateDeploymentInput!) {
        createDeployment(input: $input) { __typename ... on CreateDeploymentPayload { deployment ${DEPLOYMENT} } ... on Error { code message path } } }`,
    ),
    updateDeployment: change(
      'deploymentId',
      `mutation ($input: UpdateDeploymentInput!) {
        updateDeployment(input: $input) { __typename ... on UpdateDeploymentPayload { deployment ${DEPLOYMENT} } ... on Error { code message path } } }`,
    ),
    deployment: send(`query ($id: ID!) { deployment(id: $id) ${DEPLOYMENT} }`),
    rollBack: send(
      `mutation ($id: ID!, $version: Int!) { rollBackDeployment(input: { deploymentId: $id, version: $version }) { __typename ... on RollBackDeploymentPayload { deployment ${DEPLOYMENT} } ... on Error { code message path } } }`,
    ),
    unpublish: send(
      `mutation ($id: ID!) { unpublishDeployment(input: { deploymentId: $id }) { __typename ... on UnpublishDeploymentPayload { deployment ${DEPLOYMENT} } ... on Error { code message path } } }`,
    ),
    diff: send(
      `query ($id: ID!, $from: Int, $to: Int) {
        workflowVersionDiff(workflowId: $id, from: $from, to: $to) { path before after } }`,
    ),
    testDraft: change(
      'workflowId',
      `mutation ($input: TestDraftInput!) { testDraft(input: $input) { __typename ... on TestDraftPayload { run {
        content model inputTokens workflowLogId } } ... on Error { code message path } } }`,
    ),
  };
}

export type Workflows = ReturnType<typeof workflowsOf>;

/** A workflow with this draft, published to its own deployment. */
export async function publishedWorkflow(
  { createWorkflow, createDeployment, publish }: Workflows,
  draft: object = {},
): Promise<{ readonly workflowId: number; readonly deploymentId: string }> {
  const workflow = await createWorkflow({ input: { name: 'Support', draft } });
  const { workflowId } = resultOf(workflow);
  const deployment = await createDeployment({ id: workflowId, input: { name: 'Site', kind: 'CHAT' } });
  const { deploymentId } = resultOf(deployment);
  resultOf(await publish({ id: workflowId, deployments: [deploymentId] }));
  return { workflowId, deploymentId };
}
