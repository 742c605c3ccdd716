import { BranchContext } from '../../../branches/branch-context.ts';
import { testBranches } from './test-branches.ts';
import { TurnView } from './turn-view.tsx';
import type { Test } from './use-test.ts';

/** The turns of a test, whose messages can be edited. */
export function TurnList({ test, focusTurns }: { readonly test: Test; readonly focusTurns: () => void }) {
  const { turns, retry } = test;
  const last = turns.at(-1);
  return (
    <BranchContext value={testBranches(test, focusTurns)}>
      <ol aria-label="Turns" className="flex flex-col gap-6">
        {turns.map((turn) => (
          <TurnView key={turn.key} turn={turn} onRetry={turn === last ? retry : undefined} />
        ))}
      </ol>
    </BranchContext>
  );
}
