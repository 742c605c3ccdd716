import type { Answer, Client, SendOptions } from './client.ts';

const CONFIG = `{ instructions model outputSchema clientTools { name description availability inputSchema }
  httpActions { name description integration method url headers { name value } inputSchema timeoutSeconds }
  mcpServers { name integration tools timeoutSeconds } resourceTools
  allowConversationCompletion titleModel timeoutSeconds historyLimit maxSteps }`;

const WORKFLOW = `{ workflowId name revision triggerRequired draft ${CONFIG} }`;

const DEPLOYMENT = `{ deploymentId name kind publishedVersion hasUnpublishedChanges authRequired allowlist hostedPage
  dynamicClientTools doubleTextPolicy }`;

/** What administers workflows and deployments: each operation as one request, by the service's own key or another. */
export function workflowsOf(service: Client) {
  const send = (document: string) => (variables: object, options?: SendOptions) =>
    service.graphql(document, variables, options);
  return {
    createWorkflow: send(`mutation ($input: CreateWorkflowInput!) { createWorkflow(input: $input) ${WORKFLOW} }`),
    updateWorkflow: send(
      `mutation ($id: Int!, $input: UpdateWorkflowInput!, $ifRevision: Int) {
        updateWorkflow(workflowId: $id, input: $input, ifRevision: $ifRevision) ${WORKFLOW} }`,
    ),
    workflow: send(
      `query ($id: Int!) { workflow(workflowId: $id) { id workflowId name revision draft ${CONFIG}
        versions(first: 100) { nodes { number config ${CONFIG} createdAt } totalCount }
        deployments { nodes ${DEPLOYMENT} totalCount } } }`,
    ),
    publish: send(
      `mutation ($id: Int!, $deployments: [UUID!]!, $ifRevision: Int) {
        publishWorkflow(workflowId: $id, deploymentIds: $deployments, ifRevision: $ifRevision) {
          isNew version { number config ${CONFIG} } deployments ${DEPLOYMENT} } }`,
    ),
    createDeployment: send(
      `mutation ($id: Int!, $input: CreateDeploymentInput!) {
        createDeployment(workflowId: $id, input: $input) ${DEPLOYMENT} }`,
    ),
    updateDeployment: send(
      `mutation ($id: UUID!, $input: UpdateDeploymentInput!) {
        updateDeployment(deploymentId: $id, input: $input) ${DEPLOYMENT} }`,
    ),
    deployment: send(`query ($id: UUID!) { deployment(deploymentId: $id) ${DEPLOYMENT} }`),
    rollBack: send(
      `mutation ($id: UUID!, $version: Int!) { rollBackDeployment(deploymentId: $id, version: $version) ${DEPLOYMENT} }`,
    ),
    unpublish: send(`mutation ($id: UUID!) { unpublishDeployment(deploymentId: $id) ${DEPLOYMENT} }`),
    diff: send(
      `query ($id: Int!, $from: Int, $to: Int) {
        workflowVersionDiff(workflowId: $id, from: $from, to: $to) { path before after } }`,
    ),
    testDraft: send(
      `mutation ($id: Int!, $input: OneShotInput!) { testDraft(workflowId: $id, input: $input) {
        content model inputTokens workflowLogId } }`,
    ),
  };
}

export type Workflows = ReturnType<typeof workflowsOf>;

/** A workflow with this draft, published to a deployment of its own. */
export async function publishedWorkflow(
  { createWorkflow, createDeployment, publish }: Workflows,
  draft: object = {},
): Promise<{ readonly workflowId: number; readonly deploymentId: string }> {
  const made = await createWorkflow({ input: { name: 'Support', draft } });
  const { workflowId } = resultOf(made);
  const deployed = await createDeployment({ id: workflowId, input: { name: 'Site', kind: 'chat' } });
  const { deploymentId } = resultOf(deployed);
  resultOf(await publish({ id: workflowId, deployments: [deploymentId] }));
  return { workflowId, deploymentId };
}

/** What an operation's one field answered. @throws where it is an error */
export function resultOf({ body }: Answer) {
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data)[0] as Answer['body'];
}
