import type { Header } from '../../shapes/headers.ts';
import type { Context } from '../context.ts';

/** The names of headers. They are stored without encryption. */
export function namesOf(headers: readonly Header[]): string[] {
  return headers.map(({ name }) => name);
}

/** Encrypts headers for the database. Null if there are no headers. */
export function sealHeaders(
  { services }: Context,
  integrationId: string,
  headers: readonly Header[],
): Uint8Array<ArrayBuffer> | null {
  return headers.length === 0 ? null : services.settings.secretBox.seal(JSON.stringify(headers), integrationId);
}

/** Decrypts headers. @throws {Error} if the service has no key that decrypts them */
export function openHeaders({ services }: Context, integrationId: string, sealed: Uint8Array | null): Header[] {
  // Written by `sealHeaders`.
  return sealed ? (JSON.parse(services.settings.secretBox.open(sealed, integrationId)) as Header[]) : [];
}
