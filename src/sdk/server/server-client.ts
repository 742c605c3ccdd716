import { type ClientOptions, readOptions } from '../options.ts';
import { createEventsApi, type EventsApi } from './events.ts';
import { createResourcesApi, type ResourcesApi } from './resources.ts';

/** A client of one environment. Made by {@link createServerClient}. */
export interface ServerClient {
  /** Creates, reads, changes and deletes resources. */
  readonly resources: ResourcesApi;
  /** Reads and follows the event log. */
  readonly events: EventsApi;
}

/**
 * Makes a client for the environment of an API key. It sends no request. It retries requests like `createClient`.
 *
 * @example
 * const server = createServerClient({ baseUrl: 'https://parley.example.com', apiKey: process.env.PARLEY_KEY });
 * @throws {ParleyError} `invalid_call` if an option is invalid
 */
export function createServerClient(options: Omit<ClientOptions, 'deploymentId'>): ServerClient {
  const settings = readOptions(options);
  return { resources: createResourcesApi(settings), events: createEventsApi(settings, options) };
}
