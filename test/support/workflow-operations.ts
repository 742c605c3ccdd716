import type { SendOperation } from './all-operations.ts';
import type { Client } from './client.ts';

/** A workflow of the workspace with a published version, and a deployment that runs it. */
export interface WorkflowFixture {
  readonly workflowId: number;
  readonly deploymentId: string;
  /** Global IDs. */
  readonly nodes: { readonly workflow: string; readonly deployment: string };
}

export async function createWorkflowFixture(owner: Client, marker: string): Promise<WorkflowFixture> {
  const createResponse = await owner.graphql(
    `mutation ($name: String!) {
      createWorkflow(input: { name: $name, draft: { instructions: $name } }) { __typename ... on CreateWorkflowPayload { workflow { id workflowId } } ... on Error { code message path } } }`,
    { name: marker },
  );
  const { id: workflow, workflowId } = createResponse.body.data.createWorkflow.workflow;
  const deployResponse = await owner.graphql(
    `mutation ($id: ID!, $name: String!) {
      createDeployment(input: { workflowId: $id, name: $name, kind: CHAT }) { __typename ... on CreateDeploymentPayload { deployment { id deploymentId } } ... on Error { code message path } } }`,
    { id: workflowId, name: marker },
  );
  const { id: deployment, deploymentId } = deployResponse.body.data.createDeployment.deployment;
  await owner.graphql(
    `mutation ($id: ID!, $deployment: ID!) {
      publishWorkflow(input: { workflowId: $id, deploymentIds: [$deployment] }) { __typename ... on PublishWorkflowPayload { isNew } ... on Error { code message path } } }`,
    { id: workflowId, deployment: deploymentId },
  );
  return { workflowId, deploymentId, nodes: { workflow, deployment } };
}

const WORKFLOW = '{ workflowId name draft { instructions } versions { nodes { config { instructions } } } }';
const DEPLOYMENT = '{ deploymentId name workflow { name } }';

const graphql =
  (document: string, variables: (fixtures: WorkflowFixture) => object = () => ({})): SendOperation =>
  (client, key, fixtures) =>
    client.graphql(document, variables(fixtures.workflow), { key });

const ofWorkflow = ({ workflowId }: WorkflowFixture) => ({ id: workflowId });
const ofDeployment = ({ deploymentId }: WorkflowFixture) => ({ id: deploymentId });
const ofBoth = ({ workflowId, deploymentId }: WorkflowFixture) => ({ id: workflowId, deployment: deploymentId });

/** The request of each REST route of workflows and deployments. Their conversations and deployments prevent a deletion. */
export const DEPLOYMENT_ROUTES: Readonly<Record<string, SendOperation>> = {
  'GET /v1/deployments': (client, key, fixtures) =>
    client.send('GET', `/v1/deployments?limit=100&workflow_id=${fixtures.workflow.workflowId}`, { key }),
  'DELETE /v1/deployments/{deployment_id}': (client, key, { deploymentId }) =>
    client.send('DELETE', `/v1/deployments/${deploymentId}`, { key }),
  'DELETE /v1/workflow/{workflow_id}': (client, key, { workflow }) =>
    client.send('DELETE', `/v1/workflow/${workflow.workflowId}`, { key }),
};

/** The request of each root field of workflows and deployments for the fixtures. */
export const WORKFLOW_FIELDS: Readonly<Record<string, SendOperation>> = {
  'Query.workflow': graphql(`query ($id: ID!) { workflow(id: $id) ${WORKFLOW} }`, ofWorkflow),
  'Query.workflows': graphql(`{ workflows(first: 100) { nodes ${WORKFLOW} totalCount } }`),
  'Query.workflowVersionDiff': graphql(
    `query ($id: ID!) { workflowVersionDiff(workflowId: $id, from: 1) { path after }
      it: workflow(id: $id) { name } }`,
    ofWorkflow,
  ),
  'Query.deployment': graphql(`query ($id: ID!) { deployment(id: $id) ${DEPLOYMENT} }`, ofDeployment),
  'Query.deployments': graphql(
    `query ($id: ID!) { deployments(first: 100, filter: { workflowId: $id }) { nodes ${DEPLOYMENT} totalCount } }`,
    ofWorkflow,
  ),
  'Mutation.createWorkflow': graphql(
    'mutation { createWorkflow(input: { name: "own" }) { __typename ... on CreateWorkflowPayload { workflow { name } } ... on Error { code message path } } }',
  ),
  'Mutation.updateWorkflow': graphql(
    `mutation ($id: ID!) { updateWorkflow(input: { workflowId: $id, name: "other" }) { __typename ... on UpdateWorkflowPayload { workflow { workflowId name } } ... on Error { code message path } } }`,
    ofWorkflow,
  ),
  'Mutation.setTriggerRequired': graphql(
    `mutation ($id: ID!) {
      setTriggerRequired(input: { workflowId: $id, triggerRequired: false }) { __typename ... on SetTriggerRequiredPayload { workflow { workflowId } } ... on Error { code message path } }
    }`,
    ofWorkflow,
  ),
  'Mutation.testDraft': graphql(
    `mutation ($id: ID!) {
      testDraft(input: { workflowId: $id, content: [{ text: "/instructions" }] }) { __typename ... on TestDraftPayload { run { content } } ... on Error { code message path } } }`,
    ofWorkflow,
  ),
  'Mutation.testModel': graphql(
    'mutation { testModel(input: { model: "demo" }) { __typename ... on TestModelPayload { test { answer failedAttempts { body } } } ... on Error { code message path } } }',
  ),
  'Query.availableModels': graphql(
    '{ availableModels { defaultModel providers { name isConfigured models offer { models } } } }',
  ),
  'Query.setupProgress': graphql('{ setupProgress { hasModel hasWorkflow } }'),
  'Mutation.publishWorkflow': graphql(
    `mutation ($id: ID!, $deployment: ID!) {
      publishWorkflow(input: { workflowId: $id, deploymentIds: [$deployment] }) { __typename ... on PublishWorkflowPayload { deployments { deploymentId name } } ... on Error { code message path } } }`,
    ofBoth,
  ),
  'Mutation.createDeployment': graphql(
    `mutation ($id: ID!) {
      createDeployment(input: { workflowId: $id, name: "own", kind: CHAT }) { __typename ... on CreateDeploymentPayload { deployment { deploymentId } } ... on Error { code message path } } }`,
    ofWorkflow,
  ),
  'Mutation.updateDeployment': graphql(
    `mutation ($id: ID!) { updateDeployment(input: { deploymentId: $id, name: "other" }) { __typename ... on UpdateDeploymentPayload { deployment { deploymentId name } } ... on Error { code message path } } }`,
    ofDeployment,
  ),
  'Mutation.rollBackDeployment': graphql(
    `mutation ($id: ID!) { rollBackDeployment(input: { deploymentId: $id, version: 1 }) { __typename ... on RollBackDeploymentPayload { deployment { deploymentId name } } ... on Error { code message path } } }`,
    ofDeployment,
  ),
  'Mutation.deleteWorkflow': graphql(
    `mutation ($id: ID!) { deleteWorkflow(input: { workflowId: $id }) { __typename ... on DeleteWorkflowPayload { deletedId } ... on Error { code message path } } }`,
    ofWorkflow,
  ),
  'Mutation.deleteDeployment': (client, key, { deploymentId }) =>
    client.graphql(
      `mutation ($id: ID!) { deleteDeployment(input: { deploymentId: $id }) { __typename ... on DeleteDeploymentPayload { deletedId } ... on Error { code message path } } }`,
      { id: deploymentId },
      { key },
    ),
  'Mutation.unpublishDeployment': graphql(
    `mutation ($id: ID!) { unpublishDeployment(input: { deploymentId: $id }) { __typename ... on UnpublishDeploymentPayload { deployment { deploymentId name } } ... on Error { code message path } } }`,
    ofDeployment,
  ),
};

/** Operations on data of the workspace, which is the same in both environments. */
export const WORKFLOW_OPERATIONS: readonly string[] = [
  ...Object.keys(WORKFLOW_FIELDS),
  ...Object.keys(DEPLOYMENT_ROUTES),
  'POST /mcp list_deployments',
  ...['Workflow', 'Deployment'].flatMap((type) => [
    `Query.node of ${type}`,
    `Query.nodes of ${type}`,
    `Query._entities of ${type}`,
  ]),
];
