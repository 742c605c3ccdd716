import type { Context } from '../context.ts';

/** The precision of the time of an error that repeats: a failing server must not cause a write for each turn. */
const INTERVAL_MS = 60_000;

/** Records the last failed request to an MCP server. The message must not contain secrets or the server's text. */
export async function recordIntegrationError(ctx: Context, id: string, message: string): Promise<void> {
  const at = ctx.now();
  await ctx.sql.execute`
    UPDATE integration SET last_error = ${message}, last_error_at = ${at}
    WHERE id = ${id} AND environment_id = ${ctx.environment.id}::uuid
      AND (last_error IS DISTINCT FROM ${message} OR last_error_at < ${new Date(at.getTime() - INTERVAL_MS)})`;
}
