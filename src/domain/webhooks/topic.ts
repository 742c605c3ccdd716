/** What is published when an endpoint comes, or when there is something to deliver that no event has told of. */
export const WEBHOOKS_TOPIC = 'webhooks';
