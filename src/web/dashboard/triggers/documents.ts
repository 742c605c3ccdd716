import { graphql } from '../graphql.ts';

export const TRIGGERS = graphql(`
  query Triggers($deploymentId: UUID, $first: Int, $after: String, $last: Int, $before: String) {
    triggers(deploymentId: $deploymentId, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        triggerId
        deploymentId
        conversationId
        uiSurface
        variables
        createdAt
        expiresAt
        expired
        chatUrl
        agentUrl
        content { __typename ... on TextPart { text } }
      }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

export const DEPLOYMENT_NAMES = graphql(`
  query DeploymentNames {
    deployments(first: 100) { nodes { deploymentId name kind publishedVersion } }
  }
`);

export const CREATE_TRIGGER = graphql(`
  mutation CreateTrigger($deploymentId: UUID!, $input: TriggerInput!) {
    createTrigger(deploymentId: $deploymentId, input: $input) { triggerId deploymentId chatUrl agentUrl }
  }
`);
