import type { Mutant } from './mutant.ts';

const CLAIM = 'domain/agent/queue/claim-runs.ts';
const EXPIRY = 'domain/agent/queue/expired-calls.ts';
const QUEUE = 'domain/agent/queue/queued-runs.ts';
const HAND_OVER = 'domain/agent/rows/hand-over.ts';
const RUN_MOVES = 'domain/agent/rows/run-moves.ts';
const RECOVERY = 'domain/agent/recovery/dead-runs.ts';
const LIMITS_OF_TURNS = 'domain/agent/limits/turn-limits.ts';
const SHARES = 'engine/fair-queue.test.ts';
const QUEUED = 'engine/queued-runs.test.ts';
const HANDED_OVER = 'engine/handed-over-runs.test.ts';
const DEADLINES = 'spec/call-deadlines.test.ts';
const APPROVALS = 'spec/approvals.test.ts';

/** Guards of queued runs, of approvals and of the deadlines of calls. */
export const RUNS: readonly Mutant[] = [
  {
    name: 'more background runs are started than the environment allows',
    file: CLAIM,
    find: 'is_urgent OR place <= least(room.runs, ${background})',
    replace: 'is_urgent OR place <= least(room.runs, ${background}) + 1',
    test: QUEUED,
  },
  {
    name: 'background runs ignore the limit of all turns',
    file: CLAIM,
    find: 'e.concurrent_runs - coalesce(sum(busy.runs), 0)) AS runs',
    replace: 'e.background) AS runs',
    test: QUEUED,
  },
  {
    name: 'one stranger takes all background runs',
    file: CLAIM,
    find: 'turn <= room.most_of_one AND ',
    replace: '',
    test: SHARES,
  },
  {
    name: 'strangers take all background runs',
    file: CLAIM,
    find: 'AND room.strangers + stranger_place <= room.most_of_strangers',
    replace: '',
    test: SHARES,
  },
  {
    name: 'background runs start in the order of their acceptance',
    file: CLAIM,
    find: 'PARTITION BY is_urgent ORDER BY turn, accepted_at, id) AS place',
    replace: 'PARTITION BY is_urgent ORDER BY accepted_at, id) AS place',
    test: SHARES,
  },
  {
    name: 'running background runs do not count for the turn of their caller',
    file: CLAIM,
    find: 'coalesce(busy.background_runs, 0) + row_number() OVER (',
    replace: 'row_number() OVER (',
    test: SHARES,
  },
  {
    name: 'one stranger takes all places of the queue',
    file: LIMITS_OF_TURNS,
    find: 'if (of_one >= one) return',
    replace: 'if (of_one < 0) return',
    test: SHARES,
  },
  {
    name: 'strangers take all places of the queue',
    file: LIMITS_OF_TURNS,
    find: 'if (of_strangers >= all) return',
    replace: 'if (of_strangers < 0) return',
    test: SHARES,
  },
  {
    name: 'each address of an IPv6 network has a share',
    file: 'domain/access/shares.ts',
    find: 'addressKey(request.address)}`)}`;',
    replace: 'request.address}`)}`;',
    test: SHARES,
  },
  {
    name: 'a stopped run waits for its turn in the queue',
    file: CLAIM,
    find: 'SELECT run.id, run.accepted_at, NOT run.background OR run.interrupted AS is_urgent',
    replace: 'SELECT run.id, run.accepted_at, NOT run.background AS is_urgent',
    test: QUEUED,
  },
  {
    name: 'a queued run that cannot be read holds back the others',
    file: QUEUE,
    find: 'claimed.map((run) => this.#tryToStart(run))',
    replace: 'claimed.map((run) => this.#start(run))',
    test: QUEUED,
  },
  {
    name: 'a run that a client stops is handed over and continued',
    file: HAND_OVER,
    find: "AND status = 'running' AND NOT interrupted",
    replace: "AND status = 'running'",
    test: HANDED_OVER,
  },
  {
    name: 'a shutdown ends the wait for the outcome of another process without an error',
    file: 'domain/agent/run/run-registry.ts',
    find: 'if (result === undefined) throw shuttingDown();',
    replace: '',
    test: HANDED_OVER,
  },
  {
    name: 'a statement that hands a turn over lacks the columns that its parts join',
    file: HAND_OVER,
    find: 'RETURNING ${MOVED_RUN}',
    replace: 'RETURNING run.id',
    test: 'db/composed-writes.test.ts',
  },
  {
    name: 'a turn whose process died is not counted as one without an owner',
    file: 'domain/agent/queue/unowned-turns.ts',
    find: 'OR ${leases.expired()}',
    replace: '',
    test: 'ops/unowned-turns.test.ts',
  },
  {
    name: 'a turn fails because the database failed when it stored the reply',
    file: 'domain/agent/settle/failed-turn.ts',
    find: 'if (isUnavailable(error) && (await handOver(ctx, turn, undefined).catch(() => true))) throw error;',
    replace: '',
    test: HANDED_OVER,
  },
  {
    name: 'a run that may not be repeated is handed over',
    file: HAND_OVER,
    find: 'if (turn.attemptsLeft === 0) return false;',
    replace: '',
    test: HANDED_OVER,
  },
  {
    name: 'calls without a deadline expire',
    file: 'domain/agent/queue/continue-waiting.ts',
    find: 'coalesce(i.expires_at <= now(), false) AS "isDue"',
    replace: 'coalesce(i.expires_at <= now(), true) AS "isDue"',
    test: DEADLINES,
  },
  {
    name: 'a run continues while other calls of its step wait',
    file: EXPIRY,
    find: "if (due.length < calls.length) return 'waiting';",
    replace: '',
    test: DEADLINES,
  },
  {
    name: 'a default output that does not fit the call is stored',
    file: EXPIRY,
    find: 'if (output && isValid(call, output))',
    replace: 'if (output)',
    test: DEADLINES,
  },
  {
    name: 'expired calls that cannot be handled hold back those of other conversations',
    file: EXPIRY,
    find: '} catch (error) {\n      // The next',
    replace: '} catch (error) {\n      throw error;\n      // The next',
    test: DEADLINES,
  },
  {
    name: 'a call is answered after its deadline',
    file: 'domain/agent/accept/judge-resume.ts',
    find: 'if (named.some(({ isExpired }) => isExpired)) throw actionExpired();',
    replace: '',
    test: DEADLINES,
  },
  {
    name: 'the client approves a call that a member must approve',
    file: 'domain/agent/accept/judge-resume.ts',
    find: "if (call) requireApprover(call, caller, ['toolResults', index]);",
    replace: '',
    test: APPROVALS,
  },
  {
    name: 'changed arguments of an approval are not checked',
    file: 'domain/agent/tools/approve-action.ts',
    find: 'if (problem) throw invalidResult(`{param} is not valid: ${problem}.`, at);',
    replace: '',
    test: APPROVALS,
  },
  {
    name: 'a refused call runs',
    file: 'domain/agent/run/open-step.ts',
    find: 'if (approved) return',
    replace: 'if (approved || true) return',
    test: APPROVALS,
  },
  {
    name: 'a call runs without the approval that its rule asks for',
    file: 'domain/actions/approval.ts',
    find: "if (!approval || approval.mode === 'never') return undefined;",
    replace: "if (!approval || approval.mode !== 'when') return undefined;",
    test: APPROVALS,
  },
  {
    name: 'an approval for some arguments is asked for all',
    file: 'domain/actions/approval.ts',
    find: "if (approval.mode === 'when' && approval.when && !mayMatch(approval.when, args)) return undefined;",
    replace: '',
    test: APPROVALS,
  },
  {
    name: 'the statement that settles a run names no environment for it',
    file: 'domain/agent/rows/run-sql.ts',
    find: 'AND run.environment_id = ${ctx.environment.id}::uuid AND run.fence',
    replace: 'AND run.fence',
    test: 'spec/colocated-statements.test.ts',
  },
  {
    name: 'a table is distributed although its keys do not have the environment',
    file: 'db/distribution.ts',
    find: "  'invitation',\n",
    replace: '',
    test: 'db/colocation.test.ts',
  },
  {
    name: 'a changed run lacks the columns that other parts of its statement join',
    file: RUN_MOVES,
    find: 'run.id, run.environment_id, run.conversation_id, run.status',
    replace: 'run.id, run.conversation_id, run.status',
    test: HANDED_OVER,
  },
  {
    name: 'a stopped run whose process dies has failed',
    file: RECOVERY,
    find: 'CASE WHEN results_accepted OR interrupted THEN',
    replace: 'CASE WHEN results_accepted THEN',
    test: QUEUED,
  },
  {
    name: 'a continued step replaces the last entries of the timeline',
    file: 'domain/agent/run/open-step.ts',
    find: 'return entries.map((entry) => finished.get(entry.id) ?? entry);',
    replace: 'return [...entries.slice(0, -step.length), ...finished.values()];',
    test: QUEUED,
  },
  {
    name: 'a message that a client repeats is stored again',
    file: 'domain/agent/accept/turn-rows.ts',
    find: ' WHERE NOT EXISTS (SELECT FROM repeated) RETURNING',
    replace: ' RETURNING',
    test: 'spec/repeated-messages.test.ts',
  },
  {
    name: 'a repeated message replaces one that has a reply',
    file: 'domain/agent/accept/turn-rows.ts',
    find: ' AND other.id <> timeline_item.id\n',
    replace: ' AND false\n',
    test: 'spec/repeated-messages.test.ts',
  },
  {
    name: 'the model gets a repeated message twice',
    file: 'domain/agent/accept/accept-continue.ts',
    find: 'CASE WHEN EXISTS (SELECT FROM added) AND',
    replace: 'CASE WHEN message.id IS NOT NULL AND',
    test: 'spec/repeated-messages.test.ts',
  },
  {
    name: 'a process stops only the work that it has when the grace period of its shutdown ends',
    file: 'domain/agent/run/run-registry.ts',
    find: '      if (this.#isHandingOver) controller.abort(new HandOverError());\n',
    replace: '',
    test: HANDED_OVER,
  },
];
