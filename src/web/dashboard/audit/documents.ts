import { graphql } from '../graphql.ts';

export const AUDIT_LOG = graphql(`
  query AuditLog($filter: AuditFilter, $first: Int, $after: String, $last: Int, $before: String) {
    auditLog(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { auditEntryId action occurredAt environment actorKind actorId subjectId details address requestId }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);

/** The names of actors and subjects. Each list has a limit, so older ones appear by their IDs. */
export const AUDIT_NAMES = graphql(`
  query AuditNames {
    members(first: 100) { nodes { userId user { name email } } }
    apiKeys(first: 100) { nodes { apiKeyId name } }
    integrations(first: 100) { nodes { integrationId name } }
    webhookEndpoints(first: 20) { nodes { endpointId url } }
    workflows(first: 100) { nodes { workflowId name } }
    deployments(first: 100) { nodes { deploymentId name } }
  }
`);
