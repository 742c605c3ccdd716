import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../../src/config/variables.ts';
import { leasePace } from '../../src/domain/leases/pace.ts';
import { PeriodicTasks } from '../../src/domain/periodic-tasks.ts';
import type { Log } from '../../src/domain/telemetry.ts';

describe('the pace of leases', () => {
  const seconds = VARIABLES.LEASE_SECONDS.parse(VARIABLES.LEASE_SECONDS.default);
  const { leaseMs, heartbeatMs, sweepMs, graceMs } = leasePace(Number(seconds));

  it('lets other processes notice a dead process within two leases, which is 8 s by default', () => {
    expect(leaseMs).toBe(4_000);
    // A sweep finds the expired lease, and a sweep after the grace period finds it again.
    expect(leaseMs + sweepMs + graceMs + sweepMs).toBeLessThan(2 * leaseMs);
  });

  it('gives a live owner time to renew a lease that a jump of the clock has ended', () => {
    expect(graceMs).toBeGreaterThan(1.5 * heartbeatMs);
  });

  it('renews a lease twice before it expires', () => {
    expect(2 * heartbeatMs).toBeLessThan(leaseMs);
  });
});

describe('periodic tasks', () => {
  const errors: string[] = [];
  const log: Log = { info: () => {}, warn: () => {}, error: (_facts, message) => void errors.push(message) };

  it('skip a run while the previous one takes longer than the period, and finish it before stop returns', async () => {
    const tasks = new PeriodicTasks(log);
    let [started, finished] = [0, 0];
    tasks.every(5, 'unused', async () => {
      started += 1;
      await pause(60);
      finished += 1;
    });
    await pause(30);
    expect([started, finished]).toEqual([1, 0]);
    await tasks.stop();
    expect([started, finished]).toEqual([1, 1]);
    await pause(20);
    expect(started).toBe(1);
  });

  it('log an error and run again', async () => {
    const tasks = new PeriodicTasks(log);
    let runs = 0;
    tasks.every(5, 'the task failed', () => {
      runs += 1;
      throw new Error('failed');
    });
    while (runs < 3) await pause(5);
    await tasks.stop();
    expect(errors.slice(0, 2)).toEqual(['the task failed', 'the task failed']);
  });

  it('abort the signal of a running task when they stop', async () => {
    const tasks = new PeriodicTasks(log);
    const signal = await new Promise<AbortSignal>((resolve) => {
      tasks.every(5, 'unused', (stopped) => resolve(stopped));
    });
    expect(signal.aborted).toBe(false);
    await tasks.stop();
    expect(signal.aborted).toBe(true);
  });
});
