import type { SendOperation } from './all-operations.ts';
import { graphql } from './send-graphql.ts';

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

export const TRIGGER = '{ triggerId content { ... on TextPart { text } } variables { name value } }';

/** The requests that read triggers. */
export const TRIGGER_READS: Readonly<Record<string, SendOperation>> = {
  'Query.trigger': graphql(
    `query ($deploymentId: ID!, $id: ID!) { trigger(deploymentId: $deploymentId, id: $id) ${TRIGGER} }`,
    ({ deploymentId, trigger }) => ({ deploymentId, id: trigger.id }),
  ),
  'Query.triggers': graphql(`{ triggers(first: 100) { nodes ${TRIGGER} totalCount } }`, () => ({})),
};
