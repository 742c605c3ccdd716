/** Who types in a conversation, as its user sees it. */
export const FOLLOW_PRESENCE = `subscription PagePresence($conversationId: ID!) {
  presenceChanged(conversationId: $conversationId, asUser: true) { people { displayName isTyping } } }`;

/** Reports whether the user of the page types. */
export const REPORT_TYPING = `mutation PageTyping($conversationId: ID!, $isTyping: Boolean!) {
  setPresence(input: { conversationId: $conversationId, isTyping: $isTyping, asUser: true }) { __typename } }`;
