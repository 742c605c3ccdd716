import { z } from 'zod';

/** PostgreSQL counts years otherwise than ISO 8601 before the first. */
const FIRST_YEAR = Date.parse('0001-01-01T00:00:00Z');

const instant = z.date().refine((date) => date.getTime() >= FIRST_YEAR, 'must not be before the year 1');

/** A period of a list or a report: `from` is inclusive, `to` exclusive. */
export const periodInput = z.object({ from: instant.nullish(), to: instant.nullish() }).refine(
  ({ from, to }) => !from || !to || from <= to,
  // The caller's own order of words: from is what has to be earlier.
  { path: ['from'], message: 'must not be after to' },
);
