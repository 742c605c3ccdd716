import type { Mutant } from './mutant.ts';

const RUNS = 'engine/run-guards.test.ts';
const RUN_SQL = 'domain/agent/rows/run-sql.ts';
const SETTLE = 'domain/agent/settle/settle.ts';
const REGISTRY = 'domain/agent/run/run-registry.ts';
const SHUTDOWN = 'ops/graceful-shutdown.ts';
const SHUTDOWN_TEST = 'ops/graceful-shutdown.test.ts';
const RECOVERY = 'domain/agent/recovery/dead-runs.ts';
const TURN_ROWS = 'domain/agent/accept/turn-rows.ts';
const ACCEPT = 'domain/agent/accept/accept.ts';
const CONTINUE = 'domain/agent/accept/accept-continue.ts';
const JUDGE = 'domain/agent/accept/judge-resume.ts';

/** Guards of runs: who may write them, and when. */
export const ENGINE: readonly Mutant[] = [
  {
    name: 'a process writes although another one has raised the fence',
    file: RUN_SQL,
    find: 'AND run.fence = ${turn.fence}',
    replace: '',
    test: RUNS,
  },
  {
    name: 'a run is settled twice',
    file: RUN_SQL,
    find: 'AND run.status = ANY (${sourcesOf(target)}::run_status[])',
    replace: '',
    test: RUNS,
  },
  {
    name: 'a settlement that changed no row counts as done',
    file: SETTLE,
    find: 'if (count === 0) throw new LeaseLostError();',
    replace: '',
    test: RUNS,
  },
  {
    name: 'a failed run leaves its calls open',
    file: SETTLE,
    find: "...(status === 'completed' ? [] : [endOpenCalls(ctx)]),",
    replace: '',
    test: RUNS,
  },
  {
    name: 'a request to complete the conversation is never decided',
    file: SETTLE,
    find: '...(openCompletions ? [decideCompletions(ctx, completion)] : []),',
    replace: '',
    test: RUNS,
  },
  {
    name: 'a completion is applied although it was not the last server tool',
    file: 'domain/agent/run/run-turn.ts',
    find: 'completion: isCompletion(last) ? last.callId : null,',
    replace: 'completion: executed.find(isCompletion)?.callId ?? null,',
    test: RUNS,
  },
  {
    name: 'a process continues a run whose lease it has lost',
    file: REGISTRY,
    find: 'if (!run) this.#controllers.get(id)?.abort();',
    replace: 'if (!run) continue;',
    test: RUNS,
  },
  {
    name: 'a shutdown leaves the connection of an earlier request open',
    file: SHUTDOWN,
    find: 'closes = isLeaving();',
    replace: '',
    test: SHUTDOWN_TEST,
  },
  {
    name: 'a shutdown closes the connection of a stream right after its end',
    file: SHUTDOWN,
    find: 'if (isLeaving() && !closes) this.#leftOpenAt = performance.now();',
    replace: '',
    test: SHUTDOWN_TEST,
  },
  {
    name: 'a shutdown closes the connection of a request that has no response',
    file: SHUTDOWN,
    find: 'filter(({ headersSent }) => !headersSent)',
    replace: 'filter(() => false)',
    test: SHUTDOWN_TEST,
  },
  {
    name: 'a closed service stays in memory',
    file: SHUTDOWN,
    find: 'server?.close();',
    replace: '',
    test: 'ops/closed-service.test.ts',
  },
  {
    name: 'a shutdown waits for connections without a request',
    file: 'http/server.ts',
    find: 'if (socket.bytesRead === 0) socket.destroy();',
    replace: 'void socket;',
    test: SHUTDOWN_TEST,
  },
  {
    name: 'a shutdown does not wait for running turns',
    file: REGISTRY,
    find: 'await idle;',
    replace: '',
    test: RUNS,
  },
  {
    name: 'a shutdown accepts further turns',
    file: REGISTRY,
    find: 'this.#isDraining = true;',
    replace: '',
    test: RUNS,
  },
  {
    name: 'the recovery settles a run whose lease is valid again',
    file: RECOVERY,
    find: "AND run.status = 'running' AND ${expired}",
    replace: "AND run.status = 'running'",
    test: RUNS,
  },
  {
    name: 'a recovered run with accepted results counts as failed',
    file: RECOVERY,
    find: "CASE WHEN results_accepted OR interrupted THEN 'interrupted' ELSE 'failed' END",
    replace: "'failed'",
    test: RUNS,
  },
  {
    name: 'a message overtakes messages that wait',
    file: TURN_ROWS,
    find: 'SELECT 1 FROM queued_turn q',
    replace: 'SELECT 1 FROM (SELECT * FROM queued_turn LIMIT 0) q',
    test: RUNS,
  },
  {
    name: 'the newest waiting message starts first',
    file: TURN_ROWS,
    find: 'ORDER BY q.position LIMIT 1',
    replace: 'ORDER BY q.position DESC LIMIT 1',
    test: RUNS,
  },
  {
    name: 'more messages wait than the limit allows',
    file: 'domain/agent/accept/turn-queue.ts',
    find: '< ${LIMITS.queuedTurns}',
    replace: '<= ${LIMITS.queuedTurns}',
    test: 'spec/double-text.test.ts',
  },
  {
    name: 'a second turn of a conversation fails instead of waiting or 409',
    file: TURN_ROWS,
    find: 'ON CONFLICT DO NOTHING',
    replace: '',
    test: 'spec/double-text.test.ts',
  },
  {
    name: 'a completed conversation takes a message',
    file: TURN_ROWS,
    find: "FROM locked, held WHERE locked.status = 'active' AND ",
    replace: 'FROM locked, held WHERE ',
    test: 'spec/agent-states.test.ts',
  },
  {
    name: 'a message continues a conversation of another environment',
    file: CONTINUE,
    find: 'AND environment_id = ${ctx.environment.id}::uuid',
    replace: '',
    test: 'spec/access.test.ts',
  },
  {
    name: 'a message continues a conversation of another deployment',
    file: CONTINUE,
    find: 'AND deployment_id = ${turn.deployment.id}::uuid',
    replace: '',
    test: 'spec/requests.test.ts',
  },
  {
    name: 'a trigger starts a second conversation',
    file: ACCEPT,
    find: 'AND environment_id = ${ctx.environment.id}::uuid AND conversation_id IS NULL',
    replace: 'AND environment_id = ${ctx.environment.id}::uuid',
    test: 'engine/row-guards.test.ts',
  },
  {
    name: 'a trigger of another deployment is accepted',
    file: 'domain/triggers/apply.ts',
    find: 'where: { id: triggerId, deploymentId }',
    replace: 'where: { id: triggerId, ...(deploymentId === null && {}) }',
    test: 'spec/trigger-uses.test.ts',
  },
  {
    name: 'a resume is accepted with results missing',
    file: JUDGE,
    find: 'requireAll(pending, results);',
    replace: '',
    test: 'spec/agent-states.test.ts',
  },
  {
    name: 'other results for answered calls are replayed instead of refused',
    file: JUDGE,
    find: 'outputs.size === round.length && round.every(',
    replace: 'outputs.size === round.length || round.every(',
    test: 'spec/agent-states.test.ts',
  },
  {
    name: 'one result is accepted twice in a resume',
    file: JUDGE,
    find: 'if (seen.has(callId)) {',
    replace: "if (callId === '') {",
    test: 'spec/tool-results.test.ts',
  },
  {
    name: 'an environment runs one turn more than its limit',
    file: 'domain/agent/limits/turn-limits.ts',
    find: 'if (of_all >= most) return',
    replace: 'if (of_all > most) return',
    test: 'spec/operator-limits.test.ts',
  },
  {
    name: 'a streamed reply goes on after its client has left',
    file: REGISTRY,
    find: "this.interrupt(runId, new InterruptedError('the reader of a reply went away'));",
    replace: '',
    test: 'spec/streaming.test.ts',
  },
  {
    name: 'two changes of a resource lose one of them',
    file: 'domain/resources/change.ts',
    find: '\n    FOR UPDATE`',
    replace: '`',
    test: 'engine/row-guards.test.ts',
  },
  {
    name: 'a change of a resource ignores If-Match',
    file: 'domain/resources/change.ts',
    find: 'requireMatch(ifMatch, stored);\n    const keys',
    replace: 'const keys',
    test: 'spec/resource-versions.test.ts',
  },
  {
    name: 'the model of a conversation stays when a turn has another one',
    file: 'domain/agent/rows/count-usage.ts',
    find: ' OR conversation.usage_model = ${lines.model}',
    replace: ' OR true',
    test: 'spec/conversation-usage.test.ts',
  },
  {
    name: 'a search for words ends with the first conversations',
    file: 'domain/conversations/positions.ts',
    find: '(rows[0]?.searched ?? 0) < most',
    replace: 'most > 0',
    test: 'spec/conversation-search-words.test.ts',
  },
];
