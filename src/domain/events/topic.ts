/** The topic that is published when the log of an environment has new events. */
export function eventTopic(environmentId: string): string {
  return `events:${environmentId}`;
}
