import type { Context } from '../context.ts';
import type { Header } from '../headers-input.ts';

/** What is stored of them in the open. */
export function namesOf(headers: readonly Header[]): string[] {
  return headers.map(({ name }) => name);
}

/** What is stored sealed; null where there is nothing to seal. */
export function sealHeaders(
  { services }: Context,
  integrationId: string,
  headers: readonly Header[],
): Uint8Array<ArrayBuffer> | null {
  return headers.length === 0 ? null : services.secretBox.seal(JSON.stringify(headers), integrationId);
}

/** What was sealed. @throws {Error} where no key of this service's opens it */
export function openHeaders({ services }: Context, integrationId: string, sealed: Uint8Array | null): Header[] {
  // Written by sealHeaders, and by nothing else.
  return sealed ? (JSON.parse(services.secretBox.open(sealed, integrationId)) as Header[]) : [];
}
