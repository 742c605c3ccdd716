import type { Branches } from '../../../branches/branch-context.ts';
import type { Test } from './use-test.ts';

/** The IDs of the rows of a turn. */
export const messageId = (key: number): string => String(key);
export const replyId = (key: number): string => `${key} reply`;

/** Edits of a test's messages, and another try of its last turn. The service stores no test, so there are no variants. */
export function testBranches({ turns, isRunning, edit, runAgain }: Test, focusTurns: () => void): Branches {
  const last = turns.at(-1);
  return {
    canReplace: !isRunning,
    isWaiting: false,
    canFork: false,
    // A failed turn has a button that continues it.
    lastId: last?.status === 'done' ? replyId(last.key) : undefined,
    lastUserId: last && messageId(last.key),
    variantsOf: () => undefined,
    errorText: () => '',
    sending: undefined,
    async edit(id, content) {
      edit(Number(id), content);
      focusTurns();
      return true;
    },
    regenerate() {
      runAgain();
      focusTurns();
    },
    select() {},
    fork() {},
    takeFocus: () => undefined,
  };
}
