import { existsSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, type SourceFile } from '../support/imports.ts';

const FRAGMENTS = 'db/composed-fragments.test.ts';
const READS = 'db/composed-reads.test.ts';
const WRITES = 'db/composed-writes.test.ts';

/** Where the compositions of each file run: in a test of all compositions, or in tests of the feature whose cases are all. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'db/keyset-sql.ts': [READS],
  'domain/access/anonymous.ts': ['spec/access.test.ts'],
  'domain/access/authenticate.ts': [FRAGMENTS],
  'domain/access/apps/app-caller.ts': [FRAGMENTS],
  'domain/access/apps/end-apps.ts': ['spec/connected-apps.test.ts'],
  'domain/access/claimed-effect.ts': [WRITES],
  'domain/access/credential-use.ts': ['spec/api-keys.test.ts'],
  'domain/access/end-users/connect/decide.ts': ['spec/end-user-apps.test.ts'],
  'domain/access/end-users/end-user-caller.ts': [FRAGMENTS],
  'domain/access/end-users/end-user-tokens.ts': ['spec/end-user-app-ends.test.ts'],
  'domain/access/end-users/jwt-caller.ts': ['spec/end-user-jwts.test.ts'],
  'domain/access/end-users/jwt-rules.ts': ['spec/end-user-jwts.test.ts'],
  'domain/access/end-users/offered-sign-in.ts': ['spec/end-user-apps.test.ts'],
  'domain/access/end-users/sign-in-settings.ts': ['spec/end-user-app-ends.test.ts'],
  'domain/access/idempotency.ts': ['engine/run-guards.test.ts'],
  'domain/access/keys/key-caller.ts': [FRAGMENTS],
  'domain/access/mail/outbox.ts': ['spec/mail-queue.test.ts'],
  'domain/access/mail-delivery/settle.ts': ['spec/mail-queue.test.ts'],
  'domain/access/accepts-password.ts': ['spec/account-takeover.test.ts'],
  'domain/access/reach.ts': [READS],
  'domain/access/second-factors/confirm.ts': ['spec/second-factors.test.ts'],
  'domain/access/second-factors/rule.ts': ['spec/second-factor-rules.test.ts'],
  'domain/access/sso/settings.ts': ['spec/sign-in-settings.test.ts'],
  'domain/access/sessions.ts': [
    'spec/sessions.test.ts',
    'spec/second-factor-rules.test.ts',
    'spec/members.test.ts',
    'spec/sign-in-settings.test.ts',
  ],
  'domain/access/shares.ts': [FRAGMENTS],
  'domain/access/sign-in-methods.ts': ['spec/account-takeover.test.ts'],
  'domain/access/sign-in.ts': ['spec/account-takeover.test.ts'],
  'domain/agent/accept/accept-continue.ts': [WRITES],
  'domain/agent/accept/accept.ts': [WRITES],
  'domain/agent/accept/audit-answers.ts': [WRITES],
  'domain/agent/accept/resume.ts': [WRITES, 'spec/agent-states.test.ts'],
  'domain/agent/branch/answered-by-person.ts': ['spec/handling-lines.test.ts'],
  'domain/agent/branch/accept-branch.ts': ['spec/branches.test.ts'],
  'domain/agent/branch/effects.ts': ['spec/branch-effects.test.ts'],
  'domain/agent/branch/fork-conversation.ts': ['spec/forks.test.ts'],
  'domain/agent/branch/line-message.ts': ['spec/branches.test.ts'],
  'domain/agent/branch/replace-turn.ts': ['spec/branches.test.ts', 'spec/fork-lines.test.ts'],
  'domain/agent/branch/select-variant.ts': ['spec/variants.test.ts'],
  'domain/agent/run/store-side-cost.ts': ['spec/budgets.test.ts', 'spec/suggested-replies.test.ts'],
  'domain/agent/limits/turn-limits.ts': [FRAGMENTS],
  'domain/agent/prompt/store-summary.ts': ['spec/compact-context.test.ts', 'spec/context-overflow.test.ts'],
  'domain/agent/accept/turn-rows.ts': [WRITES],
  'domain/agent/handling/expired-handling.ts': ['spec/handling.test.ts'],
  'domain/agent/presence/follow-presence.ts': ['spec/presence.test.ts'],
  'domain/agent/presence/present-people.ts': ['spec/presence.test.ts'],
  'domain/agent/presence/set-presence.ts': ['spec/presence.test.ts', 'spec/presence-reports.test.ts'],
  'domain/handling/change-handling.ts': ['spec/handling.test.ts'],
  'domain/handling/hand-over.ts': ['spec/handling.test.ts'],
  'domain/handling/report.ts': ['spec/handling-report.test.ts'],
  'domain/handling/waiting-count.ts': [FRAGMENTS],
  'domain/agent/live/live-text-sql.ts': [FRAGMENTS, WRITES],
  'domain/agent/queue/claim-runs.ts': [FRAGMENTS],
  'domain/agent/limits/budgets.ts': ['spec/budget-waits.test.ts'],
  'domain/agent/queue/affordable-runs.ts': ['spec/budget-waits.test.ts'],
  'domain/agent/queue/continue-waiting.ts': ['spec/call-deadlines.test.ts', 'spec/budget-waits.test.ts'],
  'domain/agent/rows/hand-over.ts': [WRITES],
  'domain/agent/rows/lease-tables.ts': [FRAGMENTS],
  'domain/agent/rows/queue-sql.ts': [FRAGMENTS, WRITES],
  'domain/agent/recovery/dead-runs.ts': [FRAGMENTS],
  'domain/agent/recovery/orphaned-messages.ts': [FRAGMENTS],
  'domain/agent/rows/count-usage.ts': [WRITES],
  'domain/agent/run/move-run.ts': [WRITES],
  'domain/agent/rows/run-moves.ts': [FRAGMENTS, WRITES],
  'domain/agent/run/run-registry.ts': [FRAGMENTS],
  'domain/agent/rows/run-sql.ts': [WRITES, 'spec/agent-states.test.ts'],
  'domain/agent/rows/workflow-log.ts': [WRITES],
  'domain/agent/settle/end-waiting-run.ts': [FRAGMENTS],
  'domain/agent/settle/settle.ts': [WRITES],
  'domain/agent/settle/stop-turn.ts': [FRAGMENTS],
  'domain/audit/append.ts': [WRITES, 'spec/audit.test.ts'],
  'domain/conversations/assignment/assign.ts': ['spec/handling-assignment.test.ts'],
  'domain/conversations/assignment/filter.ts': [READS],
  'domain/conversations/conditions.ts': [READS],
  'domain/conversations/excerpts/excerpt.ts': ['spec/excerpts.test.ts'],
  'domain/conversations/files.ts': [FRAGMENTS],
  'domain/conversations/fork-line.ts': ['spec/forks.test.ts', 'spec/fork-lines.test.ts'],
  'domain/conversations/line-limits.ts': ['spec/fork-lines.test.ts'],
  'domain/conversations/follow-list.ts': [READS],
  'domain/conversations/follow-pending-calls.ts': [READS],
  'domain/conversations/pending-calls.ts': [READS],
  'domain/conversations/positions.ts': [READS],
  'domain/conversations/rating-report.ts': [READS],
  'domain/conversations/rows.ts': [FRAGMENTS, READS],
  'domain/conversations/timeline.ts': [READS],
  'domain/conversations/usage.ts': ['spec/conversation-usage.test.ts'],
  'domain/documents/author.ts': [FRAGMENTS],
  'domain/documents/reads.ts': [FRAGMENTS],
  'domain/dependants.ts': ['spec/deletions-in-use.test.ts'],
  'domain/events/batch.ts': [READS],
  'domain/events/lifecycle.ts': [FRAGMENTS, WRITES],
  'domain/events/order.ts': [READS],
  'domain/files/check-claim.ts': ['spec/lost-content.test.ts'],
  'domain/files/reads.ts': ['spec/file-reads.test.ts'],
  'domain/files/sweeper.ts': ['spec/file-removal.test.ts'],
  'domain/files/use.ts': [WRITES],
  'domain/files/write-claim.ts': ['spec/uploads.test.ts'],
  'domain/leases/dead-leases.ts': [FRAGMENTS],
  'domain/leases/held-leases.ts': [FRAGMENTS, 'engine/run-guards.test.ts'],
  'domain/leases/lease-sql.ts': [FRAGMENTS],
  'domain/leases/leases.ts': [FRAGMENTS, 'spec/lost-content.test.ts'],
  'db/iso-time.ts': ['spec/budgets.test.ts'],
  'domain/budgets/budget-cost.ts': ['spec/budgets.test.ts'],
  'domain/budgets/held-budgets.ts': ['spec/budgets.test.ts'],
  'domain/budgets/periods.ts': ['spec/budget-periods.test.ts'],
  'domain/budgets/default-budgets.ts': ['spec/default-budgets.test.ts'],
  'domain/budgets/raise.ts': ['spec/budget-pause.test.ts'],
  'domain/budgets/reserve.ts': ['spec/budgets.test.ts'],
  'domain/budgets/settle.ts': ['spec/budgets.test.ts'],
  'domain/budgets/spending.ts': ['spec/budgets.test.ts'],
  'domain/related/lists.ts': [READS],
  'domain/related/page.ts': [READS],
  'domain/resources/reads.ts': [READS],
  'domain/retention/sweep.ts': [FRAGMENTS],
  'domain/usage/costs.ts': ['spec/cached-tokens.test.ts'],
  'domain/usage/line-cost.ts': [READS, 'spec/cached-tokens.test.ts', 'spec/conversation-usage.test.ts'],
  'domain/usage/report.ts': [READS],
  'domain/usage/token-columns.ts': [FRAGMENTS, READS, WRITES],
  'domain/webhooks/claim.ts': [FRAGMENTS, 'engine/background-races.test.ts'],
  'domain/webhooks/deliveries.ts': ['spec/webhook-inspector.test.ts'],
  'domain/webhooks/disable.ts': [FRAGMENTS],
  'domain/webhooks/queue.ts': ['spec/webhook-retries.test.ts', 'spec/webhook-replays.test.ts'],
  'domain/webhooks/record.ts': ['spec/webhook-delivery.test.ts'],
  'domain/webhooks/replays.ts': ['spec/webhook-replays.test.ts'],
  'domain/workflows/deployment-reads.ts': ['spec/deletions-in-use.test.ts', 'spec/deployments.test.ts'],
  'domain/workflows/deployments.ts': [FRAGMENTS],
  'domain/workflows/needed-prices.ts': ['spec/budget-prices.test.ts'],
  'domain/workflows/reads.ts': ['spec/deletions-in-use.test.ts', 'spec/workflows.test.ts'],
};

/** A statement that chooses between parts. */
const CHOICE = /Prisma\.(empty|join\()|\?\s+(\w+ : )?Prisma\.sql/;

/** A constant of the module, to its end. */
const CONSTANT = /^(?:export )?const (\w+)\b[\s\S]*?;$/gm;

const FRAGMENT = /\bPrisma\.(sql|raw|empty)\b/;

/** A parameter, or a member of an object that a caller passes. */
const PARAMETER = /\w\??: Prisma\.Sql\b(?!\[)|\w = Prisma\.sql`/;

const IMPORT = /^import (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm;

/** The names of the constants of a file that hold parts of statements. */
function heldIn({ text }: SourceFile): string[] {
  return [...text.matchAll(CONSTANT)].flatMap(([declaration, name = '']) => (FRAGMENT.test(declaration) ? [name] : []));
}

/** The files whose statements have parts: chosen, held in a constant of any file, or passed by a caller. */
function composing(files: readonly SourceFile[]): string[] {
  const held = new Set(files.flatMap((file) => heldIn(file).map((name) => `${file.path} ${name}`)));
  const usesConstant = ({ path, text }: SourceFile) =>
    [...text.matchAll(IMPORT)].some(([, names = '', from = '']) =>
      names.split(',').some((name) => held.has(`${posix.join(posix.dirname(path), from)} ${name.trim()}`)),
    );
  const takesPart = ({ text }: SourceFile) => PARAMETER.test(text.replaceAll(/^\s*(export )?(const|let) .*$/gm, ''));
  return files
    .filter((file) => CHOICE.test(file.text) || heldIn(file).length > 0 || usesConstant(file) || takesPart(file))
    .map(({ path }) => path);
}

const sources = filesOf('src/db', 'src/domain').map(({ path, text }) => ({ path: relative('src', path), text }));

it('every file that composes statements names the tests that run their compositions', () => {
  expect(composing(sources).sort()).toEqual(Object.keys(TESTS).sort());
  const missing = Object.values(TESTS)
    .flat()
    .filter((test) => !existsSync(join(import.meta.dirname, '..', test)));
  expect(missing).toEqual([]);
});

describe('the check itself', () => {
  const part = { path: 'domain/part.ts', text: 'export const PART = Prisma.sql`updated_at = now()`;\n' };

  it.each([
    ['a choice', 'const end = isOld ? Prisma.sql`AND old` : NOTHING;'],
    ['a constant', 'const PART = Prisma.sql`true`;'],
    ['a constant of an object', 'const PARTS = {\n  all: Prisma.empty,\n};'],
    ['a constant that a function returns', 'const PART = added({\n  turns: Prisma.sql`1`,\n});'],
    ['a constant of another file', "import { type Other, PART } from './part.ts';"],
    ['a parameter', 'function read(which: Prisma.Sql): Promise<void> {}'],
    ['a parameter with a default', 'function end(begin = Prisma.sql`now()`): void {}'],
    ['a member of a parameter', 'interface Cause {\n  readonly holds: Prisma.Sql;\n}'],
  ])('detects %s', (_kind, text) => {
    expect(composing([part, { path: 'domain/user.ts', text }])).toContain('domain/user.ts');
  });

  it.each([
    ['a whole statement', 'const rows = await sql.rows`SELECT 1`;'],
    ['a fragment that a function returns', 'function place(): Prisma.Sql {\n  return Prisma.sql`id = 1`;\n}'],
  ])('leaves out %s', (_kind, text) => {
    expect(composing([part, { path: 'domain/user.ts', text }])).toEqual(['domain/part.ts']);
  });
});
