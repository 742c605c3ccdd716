import type { Live } from '../../db/live.ts';

/** What is published when any conversation of an environment has changed. */
export function conversationsTopic(environmentId: string): string {
  return `conversations:${environmentId}`;
}

/** Wakes whoever follows the conversation, or the list that it is in. Call it after the commit. */
export function conversationMoved(live: Live, environmentId: string, conversationId: string): void {
  live.publish(conversationId);
  live.publish(conversationsTopic(environmentId));
}
