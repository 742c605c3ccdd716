import { requireAddress } from '../address.ts';
import type { Context } from '../context.ts';
import type { DraftChange } from './draft-input.ts';
import { originOf } from './url-template.ts';

/**
 * Rejects hosts that the service is not allowed to call. The check is repeated before each request.
 * @throws {ServiceError} invalid_request
 */
export async function requireActionAddresses(ctx: Context, { httpActions }: DraftChange): Promise<void> {
  const checked = new Set<string>();
  for (const [index, { url, integration }] of (httpActions ?? []).entries()) {
    const origin = originOf(url);
    if (integration != null || checked.has(origin)) continue;
    checked.add(origin);
    await requireAddress(ctx, origin, ['draft', 'httpActions', index, 'url']);
  }
}
