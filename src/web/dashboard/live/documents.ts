import { graphql } from '../graphql.ts';

export const ACTIVITY = graphql(`
  subscription Activity($after: String) {
    workspaceActivity(after: $after) {
      cursor
      counters { running waiting pendingActions turns failures }
      conversations { conversationId }
      events { eventId type }
    }
  }
`);
