/**
 * How long a stopping process waits for running turns, within the time that it has in all. Afterwards it hands them over
 * or ends them, and sends the last responses. That takes less than the rest.
 */
export function turnsMs(shutdownMs: number): number {
  return shutdownMs - LAST_STEPS_MS;
}

/** The time to hand over turns, send the last responses, and close everything. */
export const LAST_STEPS_MS = 5_000;

/** How long requests other than turns may take after the time for turns is over. */
export const LAST_READS_MS = 1_000;

/** How long a stopping process sends its last spans and measurements. */
export const LAST_EXPORT_MS = 1_500;

/**
 * How much more time than the longest shutdown a supervisor gives a process. The files of deployments have the sum, and a
 * test compares them.
 */
export const SUPERVISOR_MARGIN_SECONDS = 5;
