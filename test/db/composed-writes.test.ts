import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MessageContent } from '../../src/contract/content.ts';
import { NO_USAGE } from '../../src/contract/token-usage.ts';
import { Prisma } from '../../src/db/generated/client.ts';
import { acceptTurn } from '../../src/domain/agent/accept/accept.ts';
import { tryConversation } from '../../src/domain/agent/accept/accept-continue.ts';
import { acceptResults } from '../../src/domain/agent/accept/resume.ts';
import { handOver } from '../../src/domain/agent/rows/hand-over.ts';
import type { RunningTurn } from '../../src/domain/agent/rows/running-turn.ts';
import { moveRun } from '../../src/domain/agent/run/move-run.ts';
import { failTurn, finishTurn } from '../../src/domain/agent/settle/settle.ts';
import { TurnTrace } from '../../src/domain/agent/trace/turn-trace.ts';
import type { Context } from '../../src/domain/context.ts';
import { isInserted } from '../../src/domain/triggers/create.ts';
import { type PublishedDeployment, publishedDeployment } from '../../src/domain/workflows/deployments.ts';
import { textContent } from '../support/agent-apis.ts';
import { type Callers, callersOf, combinations, contextOf, Explaining } from '../support/explaining.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

const BOTH = [false, true] as const;
const ID = randomUUID();
const FILE = `parley:file_${'0'.repeat(26)}`;

let service: TestService;
let deployment: PublishedDeployment;
let callers: Callers;
beforeAll(async () => {
  service = await startService();
  const { services } = service.service;
  callers = await callersOf(services);
  deployment = await publishedDeployment(contextOf(services, callers.key), DEMO_AGENT_ID);
});
afterAll(() => service.close());

const claimOf = ({ environment }: Context['caller']) => ({
  environmentId: environment.id,
  key: 'composed',
  owner: ID,
  effect: null,
  turn: { scopes: [], isStored: false },
});

/** A turn of a run that does not exist. */
function turnOf(
  ctx: Context,
  { hasText, hasTrace, hasTrigger = false }: { hasText: boolean; hasTrace: boolean; hasTrigger?: boolean },
): RunningTurn {
  const trace = new TurnTrace(ctx, hasTrace);
  const request = { model: 'demo', instructions: '', messages: [], tools: [] };
  const result = { text: 'Hi', finishReason: 'stop', calls: [], ...NO_USAGE, inputTokens: 1 };
  trace.addStep(1, { request, failures: [], result, startedAt: new Date(), durationMs: 1 } as never);
  return {
    runId: ID,
    fence: 1,
    step: 0,
    resumed: false,
    usageBefore: NO_USAGE,
    acceptedAt: new Date(),
    acceptedMs: 0,
    conversation: { id: ID, name: 'None', variables: {}, contextTokens: 0, countedPrompt: null, createdAt: new Date() },
    deployment,
    model: 'demo',
    historyLimit: 5,
    tools: [],
    triggerId: hasTrigger ? 'trg_none' : null,
    attemptsLeft: 1,
    canPause: true,
    // A turn without a watcher: only whether it has stored text decides about the statement.
    live: { hasRows: hasText, seal() {}, markDeleted() {} } as never,
    trace,
    spending: undefined,
  };
}

/** Explains every combination, of which `count` differ in their statement. */
async function explainAll(count: number, work: (explaining: Explaining) => Promise<void>): Promise<void> {
  const explaining = new Explaining(service.service.services);
  await work(explaining);
  expect(explaining.problems.slice(0, 3)).toEqual([]);
  expect(explaining.statements.size).toBe(count);
}

describe('every composition of the statement', () => {
  it('that hands a turn over', () =>
    explainAll(4, async (explaining) => {
      const ctx = explaining.context(callers.key);
      for (const { isShutdown, ...parts } of combinations({ hasText: BOTH, isShutdown: BOTH })) {
        const turn = turnOf(ctx, { ...parts, hasTrace: false });
        const usage = isShutdown ? NO_USAGE : undefined;
        await explaining.run(JSON.stringify({ ...parts, isShutdown }), () => handOver(ctx, turn, usage));
      }
    }));

  it('that stores a step or pauses a turn', () =>
    // A turn that continues has neither a decision nor a log line with a trigger.
    explainAll(8 + 8 * 4, async (explaining) => {
      const ctx = explaining.context(callers.key);
      const switches = {
        hasText: BOTH,
        hasTrace: BOTH,
        hasResults: BOTH,
        pauses: BOTH,
        openCompletions: BOTH,
        hasTrigger: BOTH,
      };
      for (const parts of combinations(switches)) {
        const move = {
          stage: { step: 1, usage: NO_USAGE, openCompletions: parts.openCompletions },
          items: [],
          results: parts.hasResults ? [{ callId: 'call', status: 'completed' as const, output: {} }] : [],
          pending: parts.pauses ? [{ callId: 'call', name: 'ask_user' }] : [],
          messages: 0,
        };
        await explaining.run(JSON.stringify(parts), () => moveRun(ctx, turnOf(ctx, parts), move));
      }
    }));

  it('that ends a turn with a reply', () =>
    explainAll(2 ** 5 * 2 * 2 - 2 ** 4 * 2, async (explaining) => {
      const switches = {
        hasText: BOTH,
        hasTrace: BOTH,
        hasTrigger: BOTH,
        hasKey: BOTH,
        openCompletions: BOTH,
        completes: BOTH,
        text: ['', 'Hi'],
      };
      for (const parts of combinations(switches)) {
        const ctx = explaining.context(callers.key, parts.hasKey ? claimOf(callers.key) : undefined);
        const completion = parts.completes ? 'call' : null;
        const end = { step: 1, usage: NO_USAGE, openCompletions: parts.openCompletions, completion };
        const reply = { text: parts.text, finishReason: 'stop' as const };
        await explaining.run(JSON.stringify(parts), () => finishTurn(ctx, turnOf(ctx, parts), reply, end));
      }
    }));

  it('that ends a turn without a reply', () =>
    // A failed turn is not stored with its key, and counts as a failure.
    explainAll(2 ** 5 * 3, async (explaining) => {
      const switches = {
        hasText: BOTH,
        hasTrace: BOTH,
        hasTrigger: BOTH,
        hasKey: BOTH,
        openCompletions: BOTH,
        partialText: ['', 'H'],
        status: ['failed', 'interrupted'] as const,
      };
      for (const parts of combinations(switches)) {
        const ctx = explaining.context(callers.key, parts.hasKey ? claimOf(callers.key) : undefined);
        const { status, partialText } = parts;
        const end = { step: 1, usage: NO_USAGE, openCompletions: parts.openCompletions, completion: null };
        const failure = {
          status,
          errorCode: status === 'failed' ? ('model_error' as const) : null,
          reason: null,
          isRefused: false,
          partialText,
          finishReason: 'stopped' as const,
        };
        await explaining.run(JSON.stringify(parts), () => failTurn(ctx, turnOf(ctx, parts), end, failure));
      }
    }));

  const accepting = {
    hasKey: BOTH,
    hasFile: BOTH,
    background: BOTH,
    historyLimit: [0, 5],
    caller: ['key', 'anonymous', 'endUser'] as const,
  };

  const contentOf = ({ hasFile }: { hasFile: boolean }): MessageContent =>
    hasFile ? [{ type: 'url', mimeType: 'text/plain', fileUri: FILE }] : textContent('Hello');

  it('that starts a conversation', () =>
    explainAll(8, async (explaining) => {
      for (const parts of combinations({ ...accepting, hasTrigger: BOTH })) {
        const caller = callers[parts.caller];
        const ctx = explaining.context(caller, parts.hasKey ? claimOf(caller) : undefined);
        const { background, historyLimit } = parts;
        const triggerId = parts.hasTrigger ? 'trg_none' : null;
        const input = { content: contentOf(parts), variables: {}, triggerId, historyLimit };
        const options = { deployment, tools: [], canPause: true, background };
        await explaining.run(JSON.stringify(parts), () => acceptTurn(ctx, input, options));
      }
    }));

  it('that accepts a message of a conversation', () =>
    explainAll(48, async (explaining) => {
      for (const parts of combinations({ ...accepting, isQueued: BOTH })) {
        const caller = callers[parts.caller];
        const ctx = explaining.context(caller, parts.hasKey ? claimOf(caller) : undefined);
        const { background, historyLimit } = parts;
        const message = { runId: ID, step: 0, kind: 'message', role: 'user', content: contentOf(parts) } as const;
        const turn = { ...turnOf(ctx, { hasText: false, hasTrace: false }), historyLimit, message, background };
        await explaining.run(JSON.stringify(parts), () => tryConversation(ctx, turn, ID, parts.isQueued));
      }
    }));

  it('that creates a trigger', () =>
    explainAll(4, async (explaining) => {
      for (const parts of combinations({ hasKey: BOTH, hasFile: BOTH })) {
        const ctx = explaining.context(callers.key, parts.hasKey ? claimOf(callers.key) : undefined);
        const content = contentOf(parts);
        const trigger = { id: 'trg_none', environmentId: ctx.environment.id, content, variables: null };
        await explaining.run(JSON.stringify(parts), () => isInserted(ctx, trigger as never));
      }
    }));

  it('that accepts the results of calls', () =>
    explainAll(8, async (explaining) => {
      for (const parts of combinations({
        hasKey: BOTH,
        hasFile: BOTH,
        background: BOTH,
        caller: ['key', 'member'] as const,
      })) {
        const caller = callers[parts.caller];
        const ctx = explaining.context(caller, parts.hasKey ? claimOf(caller) : undefined);
        const conversation = { id: ID, name: 'None', variables: {}, createdAt: new Date(), status: 'active' as const };
        const name = parts.hasFile ? 'upload_document' : 'ask_user';
        const call = {
          callId: 'call',
          runId: ID,
          step: 1,
          name,
          arguments: {},
          status: 'pending' as const,
          output: null,
          isExpired: false,
        };
        const run = {
          id: ID,
          status: 'waiting_for_client_action' as const,
          fence: 1,
          step: 1,
          tools: [],
          historyLimit: 5,
          expired: false,
          ...NO_USAGE,
        };
        const results = [
          {
            callId: 'call',
            output: parts.hasFile ? { content: [{ type: 'url', mime_type: 'text/plain', file_uri: FILE }] } : {},
          },
        ];
        const { background } = parts;
        await explaining.run(JSON.stringify(parts), () =>
          acceptResults(ctx, {
            deployment,
            state: { conversation, run, calls: [call] },
            run,
            results,
            tools: [],
            historyLimit: 5,
            background,
          } as never),
        );
      }
    }));
});

it('a fragment that joins a column that its statement lacks is a problem', async () => {
  const explaining = new Explaining(service.service.services);
  const { sql } = explaining.context(callers.key);
  const part = Prisma.sql`moved AS (UPDATE run SET step = 1 WHERE false RETURNING id)`;
  await explaining.run(
    'hand-over',
    () =>
      sql.rows`WITH ${part} DELETE FROM live_text USING moved WHERE live_text.environment_id = moved.environment_id`,
  );
  expect(explaining.problems).toEqual([expect.stringContaining('environment_id')]);
});
