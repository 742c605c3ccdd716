import { graphql } from '../graphql.ts';

const CONFIG = graphql(`
  fragment Config on WorkflowConfig {
    instructions
    model
    historyLimit
    maxSteps
    timeoutSeconds
    titleModel
    allowConversationCompletion
    outputSchema
    clientTools { name description availability inputSchema }
    httpActions {
      name description integration method url inputSchema timeoutSeconds
      headers { name value }
    }
    mcpServers { name integration tools timeoutSeconds }
    resourceTools
  }
`);

export const WORKFLOWS = graphql(`
  query Workflows($first: Int, $after: String, $last: Int, $before: String) {
    workflows(first: $first, after: $after, last: $last, before: $before) {
      nodes {
        workflowId
        name
        updatedAt
        versions(first: 1) { nodes { number } }
        deployments(first: 5) {
          totalCount
          nodes { deploymentId name publishedVersion hasUnpublishedChanges }
        }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const CREATE_WORKFLOW = graphql(`
  mutation CreateWorkflow($input: CreateWorkflowInput!) {
    createWorkflow(input: $input) {
      __typename
      ... on CreateWorkflowPayload {
        workflow { workflowId }
      }
      ... on Error { code message path }
    }
  }
`);

export const WORKFLOW = graphql(
  `
    query Workflow($workflowId: Int!) {
      workflow(workflowId: $workflowId) {
        workflowId
        name
        revision
        triggerRequired
        updatedAt
        draft { ...Config }
        versions(first: 100) { nodes { number createdAt } }
        deployments(first: 100) { nodes { deploymentId name kind publishedVersion hasUnpublishedChanges } }
      }
    }
  `,
  [CONFIG],
);

export const UPDATE_WORKFLOW = graphql(
  `
    mutation UpdateWorkflow($input: UpdateWorkflowInput!) {
      updateWorkflow(input: $input) {
        __typename
        ... on UpdateWorkflowPayload {
          workflow {
            name
            revision
            draft { ...Config }
          }
        }
        ... on Error { code message path }
      }
    }
  `,
  [CONFIG],
);

export const SET_TRIGGER_REQUIRED = graphql(`
  mutation SetTriggerRequired($input: SetTriggerRequiredInput!) {
    setTriggerRequired(input: $input) {
      __typename
      ... on SetTriggerRequiredPayload {
        workflow { triggerRequired }
      }
      ... on Error { code message path }
    }
  }
`);

export const TEST_DRAFT = graphql(`
  mutation TestDraft($input: TestDraftInput!) {
    testDraft(input: $input) {
      __typename
      ... on TestDraftPayload {
        run { content model inputTokens outputTokens responseTime }
      }
      ... on Error { code message path }
    }
  }
`);

export const PUBLISH = graphql(`
  mutation Publish($workflowId: Int!, $deploymentIds: [UUID!]!, $ifRevision: Int) {
    publishWorkflow(
      input: {workflowId: $workflowId, deploymentIds: $deploymentIds, ifRevision: $ifRevision}
    ) {
      __typename
      ... on PublishWorkflowPayload {
        isNew
        version { number }
        deployments { name }
      }
      ... on Error { code message path }
    }
  }
`);

export const VERSION_DIFF = graphql(`
  query VersionDiff($workflowId: Int!, $from: Int, $to: Int) {
    workflowVersionDiff(workflowId: $workflowId, from: $from, to: $to) { path before after }
  }
`);

export const INTEGRATION_NAMES = graphql(`
  query IntegrationNames {
    integrations(filter: { connected: true }, first: 100) { nodes { integrationId name kind } }
  }
`);

export const VERSIONS = graphql(`
  query Versions($workflowId: Int!, $first: Int, $after: String, $last: Int, $before: String) {
    workflow(workflowId: $workflowId) {
      versions(first: $first, after: $after, last: $last, before: $before) {
        nodes { number createdAt }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`);
