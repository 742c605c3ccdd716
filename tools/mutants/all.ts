import { ACCESS } from './access.ts';
import { CONVERSATIONS } from './conversations.ts';
import { DELIVERIES } from './deliveries.ts';
import { ENGINE } from './engine.ts';
import type { Mutant } from './mutant.ts';
import { RUNS } from './runs.ts';

/** Every mutant, in the order of the report. */
export const MUTANTS: readonly Mutant[] = [...ENGINE, ...RUNS, ...DELIVERIES, ...ACCESS, ...CONVERSATIONS];
