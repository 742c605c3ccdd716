import { graphql } from '../graphql.ts';

export const ENVIRONMENT_SETTINGS = graphql(`
  query EnvironmentSettings {
    timeZone
    environmentLimits { requestsPerMinute concurrentRuns backgroundRuns fileMegabytes }
    retention {
      days traceDays
      lastSweep { startedAt finishedAt duration days conversations triggers workflowLogs }
    }
  }
`);

export const SET_LIMITS = graphql(`
  mutation SetEnvironmentLimits($input: SetEnvironmentLimitsInput!) {
    setEnvironmentLimits(input: $input) {
      __typename
      ... on SetEnvironmentLimitsPayload {
        environmentLimits { requestsPerMinute concurrentRuns backgroundRuns fileMegabytes }
      }
      ... on Error { code message path }
    }
  }
`);

export const SET_RETENTION = graphql(`
  mutation SetRetention($days: Int, $traceDays: Int) {
    setRetention(input: {days: $days, traceDays: $traceDays}) {
      __typename
      ... on SetRetentionPayload {
        retention { days traceDays }
      }
      ... on Error { code message path }
    }
  }
`);

export const SET_TIME_ZONE = graphql(`
  mutation SetTimeZone($timeZone: String!) {
    setTimeZone(input: {timeZone: $timeZone}) {
      __typename
      ... on SetTimeZonePayload { timeZone }
      ... on Error { code message path }
    }
  }
`);

export const SESSIONS = graphql(`
  query Sessions {
    sessions { sessionId address userAgent createdAt lastUsedAt expiresAt isCurrent }
  }
`);

export const CHANGE_PASSWORD = graphql(`
  mutation ChangePassword($input: ChangePasswordInput!) {
    changePassword(input: $input) {
      __typename
      ... on ChangePasswordPayload {
        me { role }
      }
      ... on Error { code message path }
    }
  }
`);

export const REVOKE_SESSION = graphql(`
  mutation RevokeSession($sessionId: ID!) {
    revokeSession(input: {sessionId: $sessionId}) {
      __typename
      ... on RevokeSessionPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);
