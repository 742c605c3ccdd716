import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HistoryItem, textOf } from '../support/agent-turns.ts';
import { directoryStore, postgresStore } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { type KillReport, killOnDirectory, killOnPostgres, seededRandom } from '../support/kill-series.ts';
import { killAll } from '../support/process.ts';
import type { RecoveryResult } from '../support/recovery-result.ts';
import { BOUNDARIES, outputOf } from '../support/tool-turn.ts';

const SAMPLES = 5;

async function onPglite(): Promise<KillReport> {
  const store = await directoryStore();
  const report = await killOnDirectory(store, 3, seededRandom(20_261_120));
  await store.remove();
  return report;
}

/** Two databases at once, so that one runs while the other waits for leases to expire. */
async function onPostgres(): Promise<KillReport> {
  const [one, other] = await Promise.all([postgresStore(), postgresStore()]);
  const reports = await Promise.all([
    killOnPostgres(one, 'a', [
      ['before', 'committed'],
      ['within', 'committed'],
      ['within', 'aborted'],
    ]),
    killOnPostgres(other, 'b', [
      ['within', 'aborted'],
      ['before', 'aborted'],
      ['within', 'committed'],
    ]),
  ]);
  await Promise.all([one.remove(), other.remove()]);
  return {
    results: reports.flatMap(({ results }) => results),
    prompts: new Map(reports.flatMap(({ prompts }) => [...prompts])),
  };
}

const DATABASES = [
  { name: 'PGlite', kill: onPglite, exact: false, skip: false },
  { name: 'PostgreSQL', kill: onPostgres, exact: true, skip: !POSTGRES_URL },
];

/** The parts of a stored item that no kill may change. */
function stableFields({ id, type, role, content, name, call_id }: HistoryItem) {
  return { id, type, role, content, name, call_id };
}

/** The effect of a model step or a message, which must occur only once. */
function effect(item: HistoryItem): string {
  return item.type === 'message' ? `${item.role}: ${textOf(item)}` : `${item.type} ${item.name}`;
}

function acceptedOutput({ items }: RecoveryResult['last']): object | null | undefined {
  return items.find(({ type }) => type === 'client_tool')?.output;
}

function table(results: readonly RecoveryResult[]) {
  return BOUNDARIES.map((boundary) => {
    const outcomes = results.filter(({ sample }) => sample.boundary === boundary).map(({ outcome }) => outcome);
    const counted = [...new Set(outcomes)].sort().map((outcome) => {
      return `${outcomes.filter((other) => other === outcome).length} × ${outcome}`;
    });
    return { boundary: boundary.name, samples: outcomes.length, 'run and items more': counted.join(', ') };
  });
}

for (const { name, kill, exact, skip } of DATABASES) {
  describe.skipIf(skip)(`kill -9 at every step boundary of a tool turn, on ${name}`, () => {
    let report: KillReport;
    beforeAll(async () => {
      report = await kill();
      console.table(table(report.results));
    });
    afterAll(killAll);

    function each(check: (result: RecoveryResult, where: string) => void): void {
      for (const result of report.results) {
        check(result, `${result.sample.boundary.name}, ${result.sample.tag}`);
      }
    }

    it('hits each boundary several times', () => {
      for (const { samples } of table(report.results)) expect(samples).toBeGreaterThanOrEqual(SAMPLES);
    });

    it('loses no acknowledged message and no accepted result', () => {
      each(({ sample, response, history, last, outcome }, where) => {
        expect(history.items.slice(0, sample.known.length).map(stableFields), where).toEqual(
          sample.known.map(stableFields),
        );
        for (const { call_id, output } of sample.known.filter((item) => item.output)) {
          expect(last.items.find((item) => item.call_id === call_id)?.output, where).toEqual(output);
        }
        if (response) expect(outcome, where).toBe(sample.boundary.outcomeIfStored);
      });
    });

    it('stores the statement at the boundary as a whole or not at all', () => {
      each(({ sample, outcome }, where) => {
        expect([sample.boundary.outcomeIfLost, sample.boundary.outcomeIfStored], where).toContain(outcome);
      });
      if (!exact) return;
      const outcomes = new Set(report.results.map(({ sample, outcome }) => `${sample.boundary.name}: ${outcome}`));
      const both = BOUNDARIES.flatMap(({ name, outcomeIfLost: undone, outcomeIfStored: stored }) => [
        `${name}: ${undone}`,
        `${name}: ${stored}`,
      ]);
      expect(outcomes).toEqual(new Set(both));
    });

    it('leaves no run running 10 s after the restart: failed before results were accepted, interrupted after', () => {
      each(({ sample, history }, where) => {
        expect(history.run_status, where).not.toBe('running');
        if (history.run_status === 'failed') expect(acceptedOutput(history) ?? null, where).toBeNull();
        if (history.run_status === 'interrupted') expect(acceptedOutput(history), where).toEqual(outputOf(sample.tag));
      });
    });

    it('resumes a paused turn with its pending call, and gives an identical retry the first outcome', () => {
      each(({ sample, history, resumed }, where) => {
        if (!resumed) return;
        const interrupted = history.run_status === 'interrupted';
        const content = interrupted ? '' : `done with ${sample.tag}`;
        expect(resumed, where).toMatchObject({ status: 200, body: { run_id: history.run_id, content } });
        expect(resumed.body.run_status, where).toBe(interrupted ? 'interrupted' : 'completed');
      });
    });

    it('accepts the next turn and shows the effect of each model step once', () => {
      each(({ next, last }, where) => {
        expect(next, where).toMatchObject({ status: 200, body: { content: 'You said: Continue.' } });
        const effects = last.items.map(effect);
        expect(effects, where).toEqual([...new Set(effects)]);
        const open = last.items.filter(({ status }) => status === 'running' || status === 'pending');
        expect(open, where).toEqual([]);
      });
    });

    it('counts its stored messages', () => {
      each(({ last, messageCount }, where) => {
        expect(messageCount, where).toBe(last.items.filter(({ type }) => type === 'message').length);
      });
    });

    it('gives the model every message and accepted result afterwards, and no call without a result', () => {
      each(({ sample, last }, where) => {
        const prompt = report.prompts.get(sample.conversationId) ?? [];
        const text = JSON.stringify(prompt);
        // Neighbours of one role are merged, so a message can be a part of a text.
        for (const item of last.items.filter(({ type }) => type === 'message')) {
          expect(text, where).toContain(JSON.stringify(textOf(item)).slice(1, -1));
        }
        const results = prompt.filter(({ role }) => role === 'tool');
        const called = prompt.flatMap(({ tool_calls }) => (tool_calls ?? []).map(({ id }) => id));
        expect(called, where).toEqual(results.map(({ tool_call_id }) => tool_call_id));
        const output = acceptedOutput(last);
        if (output)
          expect(
            results.map(({ content }) => content),
            where,
          ).toContain(JSON.stringify(output));
      });
    });
  });
}
