import type { Context } from '../context.ts';

/** The topic that wakes every process: one of its runs may have been asked to stop. */
export const INTERRUPTIONS = 'interruptions';

/** Why a run's signal was aborted: the user's next message does not wait for it. */
export class Interruption extends Error {
  constructor() {
    super('the next message interrupted the turn');
    this.name = 'Interruption';
  }
}

/** Asks whichever process works on the conversation's running run to stop it and keep what was written. */
export async function interruptRun(ctx: Context, conversationId: string): Promise<void> {
  const asked = await ctx.services.sql.changed`
    UPDATE run SET interrupted = true
    WHERE conversation_id = ${conversationId}::uuid AND environment_id = ${ctx.environment.id}::uuid
      AND status = 'running' AND NOT interrupted`;
  if (asked > 0) ctx.services.live.publish(INTERRUPTIONS);
}
