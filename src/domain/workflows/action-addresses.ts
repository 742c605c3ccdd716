import { requireAddress } from '../address.ts';
import type { Context } from '../context.ts';
import type { DraftChange } from './draft-input.ts';
import { originOf } from './url-template.ts';

/**
 * Refuses a host that this service would not go to now. It is asked again each time that it goes there.
 * @throws {ServiceError} invalid_request
 */
export async function requireActionAddresses(ctx: Context, { httpActions }: DraftChange): Promise<void> {
  const asked = new Set<string>();
  for (const [index, { url, integration }] of (httpActions ?? []).entries()) {
    const origin = originOf(url);
    if (integration != null || asked.has(origin)) continue;
    asked.add(origin);
    await requireAddress(ctx, origin, ['draft', 'httpActions', index, 'url']);
  }
}
