import type { SendOperation } from './all-operations.ts';

/** The request of the root field that deletes the trigger of the fixtures. */
export const TRIGGER_DELETION: Readonly<Record<string, SendOperation>> = {
  'Mutation.deleteTrigger': (client, key, { deploymentId, trigger }) =>
    client.graphql(
      `mutation ($deploymentId: ID!, $triggerId: ID!) {
        deleteTrigger(input: { deploymentId: $deploymentId, triggerId: $triggerId }) {
          __typename ... on DeleteTriggerPayload { deletedId } ... on Error { code message path } } }`,
      { deploymentId, triggerId: trigger.id },
      { key },
    ),
};

export const TRIGGER_DELETION_ROUTE: Readonly<Record<string, SendOperation>> = {
  'DELETE /v1/runner/{deployment_id}/trigger/{trigger_id}': (client, key, { deploymentId, trigger }) =>
    client.send('DELETE', `/v1/runner/${deploymentId}/trigger/${trigger.id}`, { key }),
};
