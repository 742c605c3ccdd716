import { graphql } from '../graphql.ts';

export const DEPLOYMENTS = graphql(`
  query Deployments($workflowId: Int, $first: Int, $after: String, $last: Int, $before: String) {
    deployments(filter: { workflowId: $workflowId }, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        deploymentId
        name
        kind
        publishedVersion
        hasUnpublishedChanges
        authRequired
        hostedPage
        workflow { workflowId name draftVersion }
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
  mutation CreateDeployment($input: CreateDeploymentInput!) {
    createDeployment(input: $input) {
      __typename
      ... on CreateDeploymentPayload {
        deployment { deploymentId }
      }
      ... on Error { code message path }
    }
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
      onReaderGone
      turnsPerMinute
      anonymousPerMinute
      conversationTurnsPerMinute
      visitorTurnsPerHour
      visitorTurnsPerDay
      challenge
      maxFileBytes
      fileTypes
      branding { name logoUrl accent greeting suggestedPrompts theme launcherPosition launcherText language }
      chatUrl
      agentUrl
      updatedAt
      workflow {
        draftVersion
        workflowId
        name
        triggerRequired
        versions(first: 100) { nodes { number createdAt } }
      }
    }
  }
`);

export const UPDATE_DEPLOYMENT = graphql(`
  mutation UpdateDeployment($input: UpdateDeploymentInput!) {
    updateDeployment(input: $input) {
      __typename
      ... on UpdateDeploymentPayload {
        deployment {
          name
          authRequired
          allowlist
          hostedPage
          dynamicClientTools
          doubleTextPolicy
          onReaderGone
          turnsPerMinute
          anonymousPerMinute
          conversationTurnsPerMinute
          visitorTurnsPerHour
          visitorTurnsPerDay
          challenge
          maxFileBytes
          fileTypes
          branding { name logoUrl accent greeting suggestedPrompts theme launcherPosition launcherText language }
          updatedAt
        }
      }
      ... on Error { code message path }
    }
  }
`);

export const ROLL_BACK = graphql(`
  mutation RollBack($deploymentId: UUID!, $version: Int!) {
    rollBackDeployment(input: {deploymentId: $deploymentId, version: $version}) {
      __typename
      ... on RollBackDeploymentPayload {
        deployment { name publishedVersion }
      }
      ... on Error { code message path }
    }
  }
`);

export const UNPUBLISH = graphql(`
  mutation Unpublish($deploymentId: UUID!) {
    unpublishDeployment(input: {deploymentId: $deploymentId}) {
      __typename
      ... on UnpublishDeploymentPayload {
        deployment { publishedVersion }
      }
      ... on Error { code message path }
    }
  }
`);
