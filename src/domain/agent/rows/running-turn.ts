import type { Spending } from '../../budgets/spending.ts';
import type { LiveTurn } from '../live/live-turn.ts';
import type { TurnTrace } from '../trace/turn-trace.ts';
import type { AcceptedTurn } from '../turn.ts';

/** A turn that runs in this process. */
export interface RunningTurn extends AcceptedTurn {
  readonly live: LiveTurn;
  readonly trace: TurnTrace;
  /** Undefined: the environment has no budgets. */
  readonly spending: Spending | undefined;
}
