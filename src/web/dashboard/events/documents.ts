import { graphql } from '../graphql.ts';

export const EVENTS = graphql(`
  query Events(
    $types: [EventType!], $resourceId: ID, $from: DateTime, $to: DateTime
    $first: Int, $after: String, $last: Int, $before: String
  ) {
    events(
      filter: { types: $types, resourceId: $resourceId, occurredAt: { from: $from, to: $to } }
      first: $first, after: $after, last: $last, before: $before
    ) {
      nodes { eventId type resourceId occurredAt payload { json } }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }
`);
