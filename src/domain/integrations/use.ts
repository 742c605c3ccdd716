import type { IntegrationKind } from '../../contract/statuses.ts';
import type { Header } from '../../shapes/headers.ts';
import type { Context } from '../context.ts';
import { openHeaders } from './headers.ts';
import { type IntegrationRow, integrationOf } from './reads.ts';

/** A connected integration with its headers. The headers are secrets: send them only to `url`, and never show them. */
export interface ConnectedIntegration {
  readonly id: string;
  readonly url: string;
  readonly headers: readonly Header[];
  /** Whether the service believes the hint of the MCP server that a tool only reads. */
  readonly trustsHints: boolean;
  /** Whether requests need the access token of a sign-in, or the server asks for one. */
  readonly hasSignIn: boolean;
}

/**
 * Finds the newest connected integration with this name in the caller's environment. Workflows refer to integrations by
 * name, because a workflow runs in every environment of its workspace.
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
  return row ? connectionOf(ctx, row) : undefined;
}

/** Finds a connected integration by its ID. */
export async function connectionById(ctx: Context, id: string): Promise<ConnectedIntegration | undefined> {
  const row = await ctx.db.integration.findFirst({ where: { id, disconnectedAt: null } });
  return row ? connectionOf(ctx, row) : undefined;
}

type Row = IntegrationRow & { readonly sealedSecrets: Uint8Array | null };

function connectionOf(ctx: Context, row: Row): ConnectedIntegration {
  const { id, url, trustsHints, signIn } = integrationOf(row);
  return { id, url, trustsHints, hasSignIn: signIn !== null, headers: openHeaders(ctx, id, row.sealedSecrets) };
}
