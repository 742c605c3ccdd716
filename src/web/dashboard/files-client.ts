import { createClient, type ParleyClient } from '../../sdk/index.ts';

/** The SDK for a member, in an environment. A module of its own, so that pages can load it later. */
export function createFilesClient(environment: string): ParleyClient {
  return createClient({ baseUrl: location.origin, headers: { 'x-environment': environment } });
}
