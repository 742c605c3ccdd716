import { graphql } from '../graphql.ts';

export const ENVIRONMENT_SETTINGS = graphql(`
  query EnvironmentSettings {
    environmentLimits { requestsPerMinute concurrentRuns }
    retention {
      days
      lastSweep { startedAt finishedAt duration days conversations triggers workflowLogs }
    }
  }
`);

export const SET_LIMITS = graphql(`
  mutation SetEnvironmentLimits($input: EnvironmentLimitsInput!) {
    setEnvironmentLimits(input: $input) { requestsPerMinute concurrentRuns }
  }
`);

export const SET_RETENTION = graphql(`
  mutation SetRetention($days: Int) {
    setRetention(days: $days) { days }
  }
`);

export const SESSIONS = graphql(`
  query Sessions {
    sessions { sessionId address userAgent createdAt lastUsedAt expiresAt isCurrent }
  }
`);

export const CHANGE_PASSWORD = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input)
  }
`);

export const REVOKE_SESSION = graphql(`
  mutation RevokeSession($sessionId: UUID!) {
    revokeSession(sessionId: $sessionId)
  }
`);
