import { graphql } from '../graphql.ts';

export const DEPLOYMENTS = graphql(`
  query Deployments($workflowId: Int, $first: Int, $after: String, $last: Int, $before: String) {
    deployments(workflowId: $workflowId, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        deploymentId
        name
        kind
        publishedVersion
        hasUnpublishedChanges
        authRequired
        hostedPage
        workflow { workflowId name }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const WORKFLOW_NAMES = graphql(`
  query WorkflowNames {
    workflows(first: 100) { nodes { workflowId name } }
  }
`);

export const CREATE_DEPLOYMENT = graphql(`
  mutation CreateDeployment($workflowId: Int!, $input: CreateDeploymentInput!) {
    createDeployment(workflowId: $workflowId, input: $input) { deploymentId }
  }
`);

export const DEPLOYMENT = graphql(`
  query Deployment($deploymentId: UUID!) {
    deployment(deploymentId: $deploymentId) {
      deploymentId
      name
      kind
      publishedVersion
      hasUnpublishedChanges
      authRequired
      allowlist
      hostedPage
      dynamicClientTools
      doubleTextPolicy
      turnsPerMinute
      anonymousPerMinute
      conversationTurnsPerMinute
      chatUrl
      agentUrl
      updatedAt
      workflow {
        workflowId
        name
        triggerRequired
        versions(first: 100) { nodes { number createdAt } }
      }
    }
  }
`);

export const UPDATE_DEPLOYMENT = graphql(`
  mutation UpdateDeployment($deploymentId: UUID!, $input: UpdateDeploymentInput!) {
    updateDeployment(deploymentId: $deploymentId, input: $input) {
      name
      authRequired
      allowlist
      hostedPage
      dynamicClientTools
      doubleTextPolicy
      turnsPerMinute
      anonymousPerMinute
      conversationTurnsPerMinute
      updatedAt
    }
  }
`);

export const ROLL_BACK = graphql(`
  mutation RollBack($deploymentId: UUID!, $version: Int!) {
    rollBackDeployment(deploymentId: $deploymentId, version: $version) { name publishedVersion }
  }
`);

export const UNPUBLISH = graphql(`
  mutation Unpublish($deploymentId: UUID!) {
    unpublishDeployment(deploymentId: $deploymentId) { publishedVersion }
  }
`);
