import { graphql } from '../graphql.ts';
import { HANDLING } from '../handling/fragment.ts';

export const INBOX = graphql(
  `
  query Inbox(
    $calls: PendingActionFilter, $people: ConversationFilter, $first: Int!, $hasCalls: Boolean!, $hasPeople: Boolean!
  ) {
    pendingActions(filter: $calls, first: $first) @include(if: $hasCalls) {
      nodes {
        callId name arguments waitingSince
        conversation { conversationId name deploymentId assignee { displayName isMe } }
      }
      pageInfo { hasNextPage }
    }
    conversations(filter: $people, orderBy: { field: HANDLING_SINCE, direction: ASC }, first: $first)
      @include(if: $hasPeople) {
      nodes { conversationId name deploymentId assignee { displayName isMe } handling { ...Handling } }
      pageInfo { hasNextPage }
    }
  }
`,
  [HANDLING],
);
