import type { Client } from './client.ts';
import type { Ask } from './every-field.ts';

/** The workflow log's line of a turn: its global id, and the conversation that it tells of. */
export interface PlantedLog {
  readonly nodeId: string;
  readonly conversationId: string;
}

export async function plantLog(owner: Client, conversationId: string): Promise<PlantedLog> {
  const { body } = await owner.graphql(
    'query ($id: UUID!) { workflowLogs(filter: { conversationId: $id }) { nodes { id } } }',
    { id: conversationId },
  );
  return { nodeId: body.data.workflowLogs.nodes[0].id, conversationId };
}

const graphql =
  (document: string, variables: (planted: { readonly log: PlantedLog }) => object = () => ({})): Ask =>
  (client, key, planted) =>
    client.graphql(document, variables(planted), { key });

const DAYS = 'from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z"';

/** How each root field of usage is asked for what was planted. */
export const USAGE_FIELDS: Readonly<Record<string, Ask>> = {
  'Query.workflowLogs': graphql(
    'query ($id: UUID!) { workflowLogs(filter: { conversationId: $id }) { nodes { conversationId } totalCount } }',
    ({ log }) => ({ id: log.conversationId }),
  ),
  'Query.usage': graphql(`{ usage(${DAYS}) { turns } }`),
  'Query.modelPrices': graphql('{ modelPrices { model } }'),
  'Mutation.setModelPrice': graphql(
    'mutation { setModelPrice(input: { model: "own", inputPerMillion: 1, outputPerMillion: 2 }) { model } }',
  ),
  'Mutation.removeModelPrice': graphql('mutation { removeModelPrice(model: "nobodys") }'),
};
