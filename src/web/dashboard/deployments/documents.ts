import { graphql } from '../graphql.ts';

const SETTINGS = graphql(`
  fragment Settings on Deployment {
    name
    authRequired
    allowlist
    hostedPage
    dynamicClientTools
    allowEditing
    doubleTextPolicy
    onReaderGone
    turnsPerMinute
    anonymousPerMinute
    conversationTurnsPerMinute
    visitorTurnsPerHour
    visitorTurnsPerDay
    endUserBudget { period amount tokens warnAt onReached }
    visitorBudget { period amount tokens warnAt onReached }
    challenge
    maxFileBytes
    fileTypes
    branding { name logoUrl accent greeting suggestedPrompts theme launcherPosition launcherText language }
    updatedAt
  }
`);

export const DEPLOYMENTS = graphql(`
  query Deployments($workflowId: ID, $first: Int, $after: String, $last: Int, $before: String) {
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

export const DEPLOYMENT = graphql(
  `
  query Deployment($deploymentId: ID!) {
    deployment(id: $deploymentId) {
      deploymentId
      kind
      publishedVersion
      hasUnpublishedChanges
      ...Settings
      chatUrl
      agentUrl
      workflow {
        draftVersion
        workflowId
        name
        triggerRequired
        versions(first: 100) { nodes { number createdAt } }
      }
    }
  }
`,
  [SETTINGS],
);

/** What each version of a deployment did in a period. */
export const VERSION_REPORT = graphql(`
  query VersionReport($deploymentId: ID!, $period: ReportPeriodInput!, $withRatings: Boolean!) {
    usage(period: $period, groupBy: [VERSION], filter: { deploymentId: $deploymentId }) {
      version turns failures medianResponseTime cost
    }
    ratings(period: $period, groupBy: [VERSION], filter: { deploymentId: $deploymentId }) @include(if: $withRatings) {
      version up down
    }
  }
`);

export const UPDATE_DEPLOYMENT = graphql(
  `
  mutation UpdateDeployment($input: UpdateDeploymentInput!) {
    updateDeployment(input: $input) {
      __typename
      ... on UpdateDeploymentPayload {
        deployment { ...Settings }
      }
      ... on Error { code message path }
    }
  }
`,
  [SETTINGS],
);

export const ROLL_BACK = graphql(`
  mutation RollBack($deploymentId: ID!, $version: Int!) {
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
  mutation Unpublish($deploymentId: ID!) {
    unpublishDeployment(input: {deploymentId: $deploymentId}) {
      __typename
      ... on UnpublishDeploymentPayload {
        deployment { publishedVersion }
      }
      ... on Error { code message path }
    }
  }
`);

export const DELETE_DEPLOYMENT = graphql(`
  mutation DeleteDeployment($deploymentId: ID!) {
    deleteDeployment(input: {deploymentId: $deploymentId}) {
      __typename
      ... on DeleteDeploymentPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);
