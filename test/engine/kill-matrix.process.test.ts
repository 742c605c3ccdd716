import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Aftermath } from '../support/aftermath.ts';
import { type HistoryItem, textOf } from '../support/agent-turns.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { directory, postgres } from '../support/places.ts';
import { killAll } from '../support/process.ts';
import { type Report, seeded, strikeDirectory, strikePostgres } from '../support/strikes.ts';
import { BOUNDARIES, outputOf } from '../support/tool-turn.ts';

const SAMPLES = 5;

async function onPglite(): Promise<Report> {
  const place = await directory();
  const report = await strikeDirectory(place, 3, seeded(20_261_120));
  await place.remove();
  return report;
}

/** Two databases side by side, so that one of them is at work while the other waits for leases to run out. */
async function onPostgres(): Promise<Report> {
  const [one, other] = await Promise.all([postgres(), postgres()]);
  const reports = await Promise.all([
    strikePostgres(one, 'a', [
      ['before', 'finished'],
      ['within', 'finished'],
      ['within', 'torn'],
    ]),
    strikePostgres(other, 'b', [
      ['within', 'torn'],
      ['before', 'torn'],
      ['within', 'finished'],
    ]),
  ]);
  await Promise.all([one.remove(), other.remove()]);
  return {
    aftermaths: reports.flatMap(({ aftermaths }) => aftermaths),
    prompts: new Map(reports.flatMap(({ prompts }) => [...prompts])),
  };
}

const DATABASES = [
  { name: 'PGlite', strike: onPglite, exact: false, skip: Boolean(POSTGRES_URL) },
  { name: 'PostgreSQL', strike: onPostgres, exact: true, skip: !POSTGRES_URL },
];

/** What no kill may change of a stored item. */
function core({ id, type, role, content, name, call_id }: HistoryItem) {
  return { id, type, role, content, name, call_id };
}

/** Everything that only one model step, or one message, can have made. */
function effect(item: HistoryItem): string {
  return item.type === 'message' ? `${item.role}: ${textOf(item)}` : `${item.type} ${item.name}`;
}

function acceptedOutput({ items }: Aftermath['last']): object | null | undefined {
  return items.find(({ type }) => type === 'client_tool')?.output;
}

function table(aftermaths: readonly Aftermath[]) {
  return BOUNDARIES.map((boundary) => {
    const outcomes = aftermaths.filter(({ sample }) => sample.boundary === boundary).map(({ outcome }) => outcome);
    const counted = [...new Set(outcomes)].sort().map((outcome) => {
      return `${outcomes.filter((other) => other === outcome).length} × ${outcome}`;
    });
    return { boundary: boundary.name, samples: outcomes.length, 'run and items more': counted.join(', ') };
  });
}

for (const { name, strike, exact, skip } of DATABASES) {
  describe.skipIf(skip)(`kill -9 at every step boundary of a tool turn, on ${name}`, () => {
    let report: Report;
    beforeAll(async () => {
      report = await strike();
      console.table(table(report.aftermaths));
    }, 150_000);
    afterAll(killAll);

    function each(check: (aftermath: Aftermath, where: string) => void): void {
      for (const aftermath of report.aftermaths) {
        check(aftermath, `${aftermath.sample.boundary.name}, ${aftermath.sample.tag}`);
      }
    }

    it('strikes each of them several times', () => {
      for (const { samples } of table(report.aftermaths)) expect(samples).toBeGreaterThanOrEqual(SAMPLES);
    });

    it('loses no acknowledged message and no accepted result', () => {
      each(({ sample, answer, found, last, outcome }, where) => {
        expect(found.items.slice(0, sample.known.length).map(core), where).toEqual(sample.known.map(core));
        for (const { call_id, output } of sample.known.filter((item) => item.output)) {
          expect(last.items.find((item) => item.call_id === call_id)?.output, where).toEqual(output);
        }
        if (answer) expect(outcome, where).toBe(sample.boundary.kept);
      });
    });

    it('stores the statement at the boundary as a whole or not at all', () => {
      each(({ sample, outcome }, where) => {
        expect([sample.boundary.undone, sample.boundary.kept], where).toContain(outcome);
      });
      if (!exact) return;
      const outcomes = new Set(report.aftermaths.map(({ sample, outcome }) => `${sample.boundary.name}: ${outcome}`));
      const both = BOUNDARIES.flatMap(({ name, undone, kept }) => [`${name}: ${undone}`, `${name}: ${kept}`]);
      expect(outcomes).toEqual(new Set(both));
    });

    it('leaves no run running 10 s after the restart: failed before results were accepted, interrupted after', () => {
      each(({ sample, found }, where) => {
        expect(found.run_status, where).not.toBe('running');
        if (found.run_status === 'failed') expect(acceptedOutput(found) ?? null, where).toBeNull();
        if (found.run_status === 'interrupted') expect(acceptedOutput(found), where).toEqual(outputOf(sample.tag));
      });
    });

    it('resumes what was paused with its pending call, and answers an identical retry as the first was settled', () => {
      each(({ sample, found, resumed }, where) => {
        if (!resumed) return;
        const interrupted = found.run_status === 'interrupted';
        const content = interrupted ? '' : `done with ${sample.tag}`;
        expect(resumed, where).toMatchObject({ status: 200, body: { run_id: found.run_id, content } });
        expect(resumed.body.run_status, where).toBe(interrupted ? 'interrupted' : 'completed');
      });
    });

    it('takes the next turn, and shows the effect of no model step twice', () => {
      each(({ next, last }, where) => {
        expect(next, where).toMatchObject({ status: 200, body: { content: 'You said: Continue.' } });
        const effects = last.items.map(effect);
        expect(effects, where).toEqual([...new Set(effects)]);
        const open = last.items.filter(({ status }) => status === 'running' || status === 'pending');
        expect(open, where).toEqual([]);
      });
    });

    it('counts the messages that it has stored', () => {
      each(({ last, messageCount }, where) => {
        expect(messageCount, where).toBe(last.items.filter(({ type }) => type === 'message').length);
      });
    });

    it('tells the model of every message and accepted result afterwards, and of no call without a result', () => {
      each(({ sample, last }, where) => {
        const prompt = report.prompts.get(sample.conversationId) ?? [];
        const text = JSON.stringify(prompt);
        for (const item of last.items.filter(({ type }) => type === 'message')) {
          expect(text, where).toContain(JSON.stringify(textOf(item)));
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
