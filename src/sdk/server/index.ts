/**
 * For servers with an API key: the data of an environment, its events, and the messages of webhooks.
 *
 * @example
 * const server = createServerClient({ baseUrl: 'https://parley.example.com', apiKey: process.env.PARLEY_KEY });
 * for await (const resource of server.resources.list({ type: 'order' })) console.log(resource.id);
 */
export type { ErrorCode } from '../../contract/errors.ts';
export type { EventType } from '../../contract/statuses.ts';
export { type ClientErrorCode, ParleyError } from '../error.ts';
export type { JsonObject } from '../history.ts';
export type { ClientOptions } from '../options.ts';
export type { EventsApi, FollowEventsOptions, FollowedEvent, ListEventsOptions, ServiceEvent } from './events.ts';
export type { ListResourcesOptions, Resource, ResourceOptions, ResourcesApi } from './resources.ts';
export { createServerClient, type ServerClient } from './server-client.ts';
export { type VerifyOptions, verifyWebhook, type WebhookMessage } from './webhooks.ts';
