/** The topic of changes of who is in a conversation. It wakes no other feed. */
export function presenceTopic(conversationId: string): string {
  return `presence:${conversationId}`;
}
