import type { ResultOf } from 'gql.tada';
import type { AUDIT_LOG, AUDIT_NAMES } from './documents.ts';

export type Entry = ResultOf<typeof AUDIT_LOG>['auditLog']['nodes'][number];

/** Names of actors and subjects by their IDs, and the email addresses of members. */
export interface Names {
  readonly names: ReadonlyMap<string, string>;
  readonly emails: ReadonlyMap<string, string>;
}

export function namesOf(data: ResultOf<typeof AUDIT_NAMES> | undefined): Names {
  if (!data) return { names: new Map(), emails: new Map() };
  const { members, apiKeys, integrations, webhookEndpoints, workflows, deployments } = data;
  const names = new Map([
    ...members.nodes.map(({ userId, user }) => [userId, user.name] as const),
    ...apiKeys.nodes.map(({ apiKeyId, name }) => [apiKeyId, name] as const),
    ...integrations.nodes.map(({ integrationId, name }) => [integrationId, name] as const),
    ...webhookEndpoints.nodes.map(({ endpointId, url }) => [endpointId, url] as const),
    ...workflows.nodes.map(({ workflowId, name }) => [String(workflowId), name] as const),
    ...deployments.nodes.map(({ deploymentId, name }) => [deploymentId, name] as const),
  ]);
  return { names, emails: new Map(members.nodes.map(({ userId, user }) => [userId, user.email] as const)) };
}

/** The actor of an entry, for the start of a sentence. */
export function actorOf({ actorKind, actorId }: Entry, { names }: Names): string {
  const name = actorId === null ? undefined : names.get(actorId);
  switch (actorKind) {
    case 'SESSION':
      return name ?? 'A former member';
    case 'API_KEY':
      return `Key ${name ?? actorId}`;
    case 'APP':
      return 'A connected app';
    case 'OPERATOR':
      return 'The operator';
    case 'SERVICE':
      return 'Parley';
    default:
      return 'An unknown caller';
  }
}
