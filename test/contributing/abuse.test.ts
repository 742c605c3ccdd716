import { describe, expect, it } from 'vitest';
import { BOUNDS, boundOf, EXCEPTIONS } from '../../tools/abuse/bounds.ts';
import { isBearable, timingViolations, violationsOf } from '../../tools/abuse/judge.ts';
import { KINDS } from '../../tools/abuse/kinds/all.ts';
import { tableOf } from '../../tools/abuse/report.ts';
import { readDocument } from '../support/document-blocks.ts';

const names = KINDS.map(({ name }) => name);
const quiet = { cpuSeconds: 1, memoryMb: 1, diskMb: 0, mails: 0, modelCalls: 0, delayMs: 10 };
const idle = { p95: { read: 5, turn: 10, background: 20 }, failures: [] };

describe('the kinds of abuse', () => {
  it('have different names, and exceptions name only these', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('keep their numbers when others are measured', () => {
    const guide = readDocument('docs/abuse.md');
    const rows = tableOf(names, [], guide).split('\n').slice(4);
    expect(rows).toHaveLength(names.length + 1);
    expect(guide).toContain(rows.join('\n'));
    expect(() => tableOf([...names, 'new-kind'], [], guide)).toThrow('no numbers of new-kind yet');
  });

  it('have a row with numbers in the guide, in their order', () => {
    const [, numbers = ''] =
      /<!-- abuse: [^>]+-->([\s\S]*)<!-- end of abuse -->/.exec(readDocument('docs/abuse.md')) ?? [];
    const rows = [...numbers.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name);
    expect(rows).toEqual(names);
  });
});

describe('a measurement', () => {
  it('is within its bounds at the bounds, and names each number above', () => {
    const highest = Object.fromEntries(Object.keys(BOUNDS).map((key) => [key, BOUNDS[key as 'mails'].limit]));
    expect(violationsOf('unknown-paths', { ...quiet, ...highest }, idle, idle)).toEqual([]);
    const over = { ...quiet, cpuSeconds: 15.1, mails: 11 };
    expect(violationsOf('unknown-paths', over, idle, idle)).toEqual([
      'CPU s per minute: 15.1 exceeds 15',
      'mails: 11 exceeds 10',
    ]);
    expect(timingViolations('unknown-paths', over, idle, idle)).toEqual(['CPU s per minute: 15.1 exceeds 15']);
    expect(violationsOf('unknown-paths', { ...quiet, delayMs: Number.NaN }, idle, idle)).toHaveLength(1);
  });

  it('uses the exception of its kind', () => {
    expect(boundOf('anonymous-turns', 'modelCalls').limit).toBe(180);
    expect(boundOf('unknown-paths', 'modelCalls').limit).toBe(0);
  });

  it('fails if the latency of another caller doubles, or a request of it fails', () => {
    expect([isBearable(100, 240), isBearable(100, 241), isBearable(1, 42)]).toEqual([true, false, true]);
    const slow = { ...idle, p95: { ...idle.p95, turn: 61 } };
    expect(violationsOf('unknown-paths', quiet, idle, slow)).toEqual(["p95 of another caller's turn: 10 ms → 61 ms"]);
    const failing = { ...idle, failures: ['read: 503'] };
    expect(violationsOf('unknown-paths', quiet, idle, failing)).toEqual([
      '1 requests of another caller failed: read: 503',
    ]);
  });
});
