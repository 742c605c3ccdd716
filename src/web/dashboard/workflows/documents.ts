import { graphql } from '../graphql.ts';

const CONFIG = graphql(`
  fragment Config on WorkflowConfig {
    instructions
    model
    context
    contextTokens
    summaryModel
    summaryInstructions
    allowFileReading
    historyLimit
    maxSteps
    timeoutSeconds
    recovery
    maxAttempts
    titleModel
    reasoning
    reasoningEffort
    maxReplyTokens
    temperature
    stopSequences
    modelParameters
    runBudget { amount tokens warnAt onReached }
    conversationBudget { period amount tokens warnAt onReached }
    allowConversationCompletion
    allowHandOver
    handOverAfterFailures
    handOverAfterBadRating
    handOverWaitMinutes
    handOverExpiry
    outputSchema
    clientTools { name description availability inputSchema expiresAfterSeconds onExpiry { mode output } }
    httpActions {
      name description integration method url inputSchema timeoutSeconds retrySafe
      approval { mode when approver allowAnonymous expiresAfterSeconds onExpiry { mode output } }
      headers { name value }
    }
    mcpServers { name integration tools timeoutSeconds retrySafe approval { mode when approver allowAnonymous expiresAfterSeconds onExpiry { mode output } } }
    resourceTools
    toolApprovals { tool mode when approver allowAnonymous expiresAfterSeconds onExpiry { mode output } }
  }
`);

export const WORKFLOWS = graphql(`
  query Workflows($first: Int, $after: String, $last: Int, $before: String) {
    workflows(first: $first, after: $after, last: $last, before: $before) {
      nodes {
        workflowId
        name
        updatedAt
        draftVersion
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
    query Workflow($workflowId: ID!) {
      workflow(id: $workflowId) {
        workflowId
        name
        revision
        triggerRequired
        draftVersion
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

export const DRAFT_TURN = graphql(`
  subscription DraftTurn($input: DraftTurnInput!) {
    draftTurn(input: $input) {
      __typename
      ... on DraftTurnDelta { number text }
      ... on DraftTurnStepped {
        step {
          number
          text
          calls { callId type name arguments status output }
          inputTokens
          outputTokens
          responseTime
        }
      }
      ... on DraftTurnDone { content completesConversation model inputTokens outputTokens responseTime }
    }
  }
`);

export const PLAYGROUND_SOURCES = graphql(`
  query PlaygroundSources {
    workflows(first: 50) { nodes { workflowId name } }
  }
`);

export const PLAYGROUND_WORKFLOW = graphql(`
  query PlaygroundWorkflow($id: ID!) {
    conversation(id: $id) {
      deployment { workflow { workflowId } }
    }
  }
`);

export const PLAYGROUND_CONVERSATION = graphql(`
  query PlaygroundConversation($id: ID!) {
    conversation(id: $id) {
      name
      variables { name value }
      history(last: 100) {
        nodes {
          __typename
          id: itemId
          run { runId }
          createdAt
          ... on Message {
            role
            content {
              __typename
              type
              ... on TextPart { text }
              ... on FilePart { mimeType fileUri }
              ... on DataPart { mimeType data }
            }
          }
          ... on ToolCall { callId name status summary }
          ... on ActionCall { callId name status summary }
          ... on ClientToolCall { callId name status summary arguments output }
          ... on ConversationCompletion { summary }
        }
        pageInfo { hasPreviousPage }
      }
    }
  }
`);

export const PUBLISH = graphql(`
  mutation Publish($workflowId: ID!, $deploymentIds: [ID!]!, $ifRevision: Int) {
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

export const INTEGRATION_NAMES = graphql(`
  query IntegrationNames {
    integrations(filter: { connected: true }, first: 100) { nodes { integrationId name kind } }
  }
`);

export const VERSIONS = graphql(`
  query Versions($workflowId: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    workflow(id: $workflowId) {
      versions(first: $first, after: $after, last: $last, before: $before) {
        nodes { number createdAt }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    }
  }
`);

export const DELETE_WORKFLOW = graphql(`
  mutation DeleteWorkflow($workflowId: ID!, $ifRevision: Int) {
    deleteWorkflow(input: {workflowId: $workflowId, ifRevision: $ifRevision}) {
      __typename
      ... on DeleteWorkflowPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);
