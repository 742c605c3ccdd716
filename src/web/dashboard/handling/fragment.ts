import type { ResultOf } from 'gql.tada';
import { graphql } from '../graphql.ts';

export const HANDLING = graphql(`
  fragment Handling on ConversationHandling {
    mode isMine since until onExpiry cause reason urgency member { displayName }
  }
`);

/** Who answers the user of a conversation. */
export type Handling = ResultOf<typeof HANDLING>;
