import type { ResultOf } from 'gql.tada';
import { graphql } from '../../../graphql.ts';

/** A turn for a comparison. Its last model step has the messages of all its steps. */
export const COMPARED_TURN = graphql(`
  query ComparedTurn($id: ID!) {
    run(id: $id) {
      runId status model inputTokens outputTokens createdAt updatedAt
      conversation { conversationId name }
      version { number workflow { name } }
      trace {
        cost
        spans(last: 20) {
          nodes {
            __typename
            ... on ModelStepSpan { step isSummary prompt { instructions messages messagesLeftOut tools } answer { text calls } }
          }
        }
      }
    }
  }
`);

export type ComparedTurn = NonNullable<ResultOf<typeof COMPARED_TURN>['run']>;

export const EARLIER_TURNS = graphql(`
  query EarlierTurns($id: ID!) {
    conversation(id: $id) {
      runs(first: 100) { nodes { runId status createdAt } }
    }
  }
`);
