import { graphql } from '../graphql.ts';

export const ACTIVITY = graphql(`
  subscription Activity($after: String) {
    workspaceActivity(after: $after) {
      cursor
      counters { running waiting pendingActions waitingForPerson turns failures }
      conversations { conversationId }
      events { eventId type }
    }
  }
`);
