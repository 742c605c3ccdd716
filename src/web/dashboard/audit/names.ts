import type { ResultOf } from 'gql.tada';
import type { AUDIT_LOG, AUDIT_NAMES } from './documents.ts';

export type Entry = ResultOf<typeof AUDIT_LOG>['auditLog']['nodes'][number];

/** What people call somebody or something, by its id. */
export type Names = ReadonlyMap<string, string>;

export function namesOf(data: ResultOf<typeof AUDIT_NAMES> | undefined): Names {
  if (!data) return new Map();
  const { members, apiKeys, integrations, webhookEndpoints, workflows, deployments } = data;
  return new Map([
    ...members.nodes.map(({ userId, user }) => [userId, user.name] as const),
    ...apiKeys.nodes.map(({ apiKeyId, name }) => [apiKeyId, name] as const),
    ...integrations.nodes.map(({ integrationId, name }) => [integrationId, name] as const),
    ...webhookEndpoints.nodes.map(({ endpointId, url }) => [endpointId, url] as const),
    ...workflows.nodes.map(({ workflowId, name }) => [String(workflowId), name] as const),
    ...deployments.nodes.map(({ deploymentId, name }) => [deploymentId, name] as const),
  ]);
}

/** Who did it, in words. */
export function actorOf({ actorKind, actorId }: Entry, names: Names): string {
  const name = actorId === null ? undefined : names.get(actorId);
  switch (actorKind) {
    case 'session':
      return name ?? 'Somebody who is no member now';
    case 'api_key':
      return `The key ${name ?? actorId}`;
    case 'operator':
      return 'The operator';
    case 'service':
      return 'Parley';
    default:
      return 'Somebody unknown';
  }
}
