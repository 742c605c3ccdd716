import type { IntegrationKind } from '../../contract/statuses.ts';
import type { Context } from '../context.ts';
import type { Header } from '../headers-input.ts';
import { openHeaders } from './headers.ts';
import { integrationOf } from './reads.ts';

/** An integration as it is used. Its headers are secrets: they are sent to its own address, and shown to nobody. */
export interface ConnectedIntegration {
  readonly id: string;
  readonly url: string;
  readonly headers: readonly Header[];
}

/**
 * The connected integration of this name in the caller's environment; where several have it, the newest. A workflow
 * names integrations so, because it runs in every environment of its workspace.
 */
export async function connectedIntegration(
  ctx: Context,
  kind: IntegrationKind,
  name: string,
): Promise<ConnectedIntegration | undefined> {
  const row = await ctx.db.integration.findFirst({
    where: { kind, name, disconnectedAt: null },
    orderBy: [{ connectedAt: 'desc' }, { id: 'desc' }],
  });
  if (!row) return undefined;
  const { id, url } = integrationOf(row);
  return { id, url, headers: openHeaders(ctx, id, row.sealedSecrets) };
}
