import type { Client } from './client.ts';
import type { Ask } from './every-field.ts';

/** A workflow of the workspace with a published version, and a deployment that runs it. */
export interface PlantedWorkflow {
  readonly workflowId: number;
  readonly deploymentId: string;
  /** Global ids. */
  readonly nodes: { readonly workflow: string; readonly deployment: string };
}

export async function plantWorkflow(owner: Client, marker: string): Promise<PlantedWorkflow> {
  const made = await owner.graphql(
    `mutation ($name: String!) {
      createWorkflow(input: { name: $name, draft: { instructions: $name } }) { id workflowId } }`,
    { name: marker },
  );
  const { id: workflow, workflowId } = made.body.data.createWorkflow;
  const deployed = await owner.graphql(
    `mutation ($id: Int!, $name: String!) {
      createDeployment(workflowId: $id, input: { name: $name, kind: chat }) { id deploymentId } }`,
    { id: workflowId, name: marker },
  );
  const { id: deployment, deploymentId } = deployed.body.data.createDeployment;
  await owner.graphql(
    `mutation ($id: Int!, $deployment: UUID!) {
      publishWorkflow(workflowId: $id, deploymentIds: [$deployment]) { isNew } }`,
    { id: workflowId, deployment: deploymentId },
  );
  return { workflowId, deploymentId, nodes: { workflow, deployment } };
}

const WORKFLOW = '{ workflowId name draft { instructions } versions { nodes { config { instructions } } } }';
const DEPLOYMENT = '{ deploymentId name workflow { name } }';

const graphql =
  (document: string, variables: (planted: PlantedWorkflow) => object = () => ({})): Ask =>
  (client, key, planted) =>
    client.graphql(document, variables(planted.workflow), { key });

const ofWorkflow = ({ workflowId }: PlantedWorkflow) => ({ id: workflowId });
const ofDeployment = ({ deploymentId }: PlantedWorkflow) => ({ id: deploymentId });
const ofBoth = ({ workflowId, deploymentId }: PlantedWorkflow) => ({ id: workflowId, deployment: deploymentId });

/** How each root field of workflows and deployments is asked for what was planted. */
export const WORKFLOW_FIELDS: Readonly<Record<string, Ask>> = {
  'Query.workflow': graphql(`query ($id: Int!) { workflow(workflowId: $id) ${WORKFLOW} }`, ofWorkflow),
  'Query.workflows': graphql(`{ workflows(first: 100) { nodes ${WORKFLOW} totalCount } }`),
  'Query.workflowVersionDiff': graphql(
    `query ($id: Int!) { workflowVersionDiff(workflowId: $id, from: 1) { path after }
      it: workflow(workflowId: $id) { name } }`,
    ofWorkflow,
  ),
  'Query.deployment': graphql(`query ($id: UUID!) { deployment(deploymentId: $id) ${DEPLOYMENT} }`, ofDeployment),
  'Query.deployments': graphql(
    `query ($id: Int!) { deployments(first: 100, workflowId: $id) { nodes ${DEPLOYMENT} totalCount } }`,
    ofWorkflow,
  ),
  'Mutation.createWorkflow': graphql('mutation { createWorkflow(input: { name: "own" }) { name } }'),
  'Mutation.updateWorkflow': graphql(
    `mutation ($id: Int!) { updateWorkflow(workflowId: $id, input: { name: "other" }) { workflowId name } }`,
    ofWorkflow,
  ),
  'Mutation.setTriggerRequired': graphql(
    `mutation ($id: Int!) {
      setTriggerRequired(workflowId: $id, input: { triggerRequired: false }) { workflowId }
    }`,
    ofWorkflow,
  ),
  'Mutation.testDraft': graphql(
    `mutation ($id: Int!) {
      testDraft(workflowId: $id, input: { content: [{ type: text, text: "/instructions" }] }) { content } }`,
    ofWorkflow,
  ),
  'Mutation.publishWorkflow': graphql(
    `mutation ($id: Int!, $deployment: UUID!) {
      publishWorkflow(workflowId: $id, deploymentIds: [$deployment]) { deployments { deploymentId name } } }`,
    ofBoth,
  ),
  'Mutation.createDeployment': graphql(
    `mutation ($id: Int!) {
      createDeployment(workflowId: $id, input: { name: "own", kind: chat }) { deploymentId } }`,
    ofWorkflow,
  ),
  'Mutation.updateDeployment': graphql(
    `mutation ($id: UUID!) { updateDeployment(deploymentId: $id, input: { name: "other" }) { deploymentId name } }`,
    ofDeployment,
  ),
  'Mutation.rollBackDeployment': graphql(
    `mutation ($id: UUID!) { rollBackDeployment(deploymentId: $id, version: 1) { deploymentId name } }`,
    ofDeployment,
  ),
  'Mutation.unpublishDeployment': graphql(
    `mutation ($id: UUID!) { unpublishDeployment(deploymentId: $id) { deploymentId name } }`,
    ofDeployment,
  ),
};

/** What belongs to the workspace, so that it is the same through its other environment. */
export const WORKFLOW_DOORS: readonly string[] = [
  ...Object.keys(WORKFLOW_FIELDS),
  ...['Workflow', 'Deployment'].flatMap((type) => [`Query.node of ${type}`, `Query.nodes of ${type}`]),
];
