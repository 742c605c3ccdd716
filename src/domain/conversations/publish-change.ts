import type { PubSub } from '../../db/pub-sub.ts';
import { eventTopic } from '../events/topic.ts';

/** The topic of changes to any conversation of an environment. */
export function conversationsTopic(environmentId: string): string {
  return `conversations:${environmentId}`;
}

/** Wakes the subscribers of the conversation and of the lists that contain it. Call it after the commit. */
export function publishConversationChange(pubSub: PubSub, environmentId: string, conversationId: string): void {
  pubSub.publish(conversationId);
  pubSub.publish(conversationsTopic(environmentId));
}

/** Does the same for a change with lifecycle events, and wakes the readers of the event log. Call it after the commit. */
export function publishLifecycleChange(pubSub: PubSub, environmentId: string, conversationId: string): void {
  publishConversationChange(pubSub, environmentId, conversationId);
  pubSub.publish(eventTopic(environmentId));
}
