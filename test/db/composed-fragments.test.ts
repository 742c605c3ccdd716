import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/db/transaction.ts';
import { authenticate } from '../../src/domain/access/authenticate.ts';
import { newApiKey, newAppToken, newEndUserToken, newSessionToken } from '../../src/domain/access/tokens.ts';
import { withinRunLimit } from '../../src/domain/agent/limits/turn-limits.ts';
import { deleteOrphans, insertPieces } from '../../src/domain/agent/live/live-text-sql.ts';
import { claimRuns } from '../../src/domain/agent/queue/claim-runs.ts';
import { unownedTurnCounter } from '../../src/domain/agent/queue/unowned-turns.ts';
import { recoverDeadRuns } from '../../src/domain/agent/recovery/dead-runs.ts';
import { storeOrphanedMessages } from '../../src/domain/agent/recovery/orphaned-messages.ts';
import { MESSAGE_LEASES, RUN_LEASES } from '../../src/domain/agent/rows/lease-tables.ts';
import { cancelledAs, endWaitingRun } from '../../src/domain/agent/settle/end-waiting-run.ts';
import { STOPPED } from '../../src/domain/agent/settle/stop-turn.ts';
import type { Context, Services } from '../../src/domain/context.ts';
import { conversationFiles, findFiles } from '../../src/domain/conversations/files.ts';
import { readCalls, readRows } from '../../src/domain/conversations/rows.ts';
import { currentVersion, currentVersions, trustedVersions, versionText } from '../../src/domain/documents/reads.ts';
import { waitingCounter } from '../../src/domain/handling/waiting-count.ts';
import { DeadLeases } from '../../src/domain/leases/dead-leases.ts';
import { abandonLeases } from '../../src/domain/leases/lease-sql.ts';
import { sweepDue, sweepNow } from '../../src/domain/retention/sweep.ts';
import { releaseClaim } from '../../src/domain/webhooks/claim.ts';
import { disableFailing, disableGone } from '../../src/domain/webhooks/disable.ts';
import { publishedJson } from '../../src/domain/workflows/deployments.ts';
import { type Callers, callersOf, combinations, contextOf } from '../support/explaining.ts';
import { DEMO_AGENT_ID, startService, type TestService } from '../support/service.ts';

// Statements with a fragment that a constant holds or a caller passes. Most find no row: the server reads and plans them.

const ID = randomUUID();

let service: TestService;
let services: Services;
let callers: Callers;
let ctx: Context;
beforeAll(async () => {
  service = await startService();
  ({ services } = service.service);
  callers = await callersOf(services);
  ctx = contextOf(services, callers.key);
});
afterAll(() => service.close());

describe('every fragment of the statement', () => {
  it('that finds the caller of a credential', async () => {
    const presented = {
      sender: { address: '127.0.0.1', refused() {} },
      address: { deploymentId: undefined, conversationId: undefined },
    } as unknown as Parameters<typeof authenticate>[2];
    for (const { token, extra } of combinations({
      token: [newApiKey('live'), newEndUserToken('live'), newSessionToken(), newAppToken()],
      extra: [undefined, publishedJson(DEMO_AGENT_ID)],
    })) {
      const headers = { authorization: [`Bearer ${token}`], 'x-api-key': [] };
      await expect(authenticate(services, headers, presented, extra)).rejects.toThrow('Send a valid API key');
    }
  });

  it('that renews leases, or finds those of dead processes', async () => {
    for (const table of [RUN_LEASES, MESSAGE_LEASES]) {
      const held = services.stores.leases.heldIn<string, object>(table);
      held.add(ID, { environmentId: ctx.environment.id, id: ID });
      expect(await held.renew()).toEqual([]);
      expect(services.stores.leases.deadIn(table)).toBeInstanceOf(DeadLeases);
      expect(await services.stores.leases.deadIn(table).find([ID])).toEqual([]);
    }
    await unownedTurnCounter({ ...services.stores, ...services.process })();
    await waitingCounter({ ...services.stores, ...services.process })();
    await abandonLeases(services.stores.sql);
  });

  it('that recovers runs and messages of dead processes', async () => {
    const run = { environmentId: ctx.environment.id, id: ID };
    await recoverDeadRuns(services, [run]);
    await storeOrphanedMessages(services, [run]);
    await deleteOrphans(services.stores.sql);
    const place = { environmentId: ctx.environment.id, runId: ID };
    await services.stores.sql
      .execute`${insertPieces([{ ...place, fence: 1, step: 1, position: 0, isReasoning: false, text: 'a' }])}`;
    expect(
      await claimRuns(services.stores.prisma, services.stores.leases, ctx.environment.id, { most: 1, background: 1 }),
    ).toEqual([]);
  });

  it('that ends a run which waits for its client', async () => {
    for (const change of [STOPPED, cancelledAs('cancelled'), cancelledAs('action_expired')]) {
      const ended = inTransaction(ctx.db, (tx) => endWaitingRun(ctx, tx, ID, { change, at: new Date() }));
      expect(await ended).toBeUndefined();
    }
  });

  it('that counts the turns of an environment with a limit', async () => {
    const limits = { ...callers.key.limits, concurrentRuns: 1 };
    const limited = contextOf(services, { ...callers.key, limits });
    for (const background of [false, true])
      expect(await withinRunLimit(limited, background, async () => 'begun')).toBe('begun');
  });

  it('that reads conversations, their calls and their files', async () => {
    const queries = [
      {},
      { select: { name: true } },
      { select: { latestRun: true } },
      { include: { deployment: true } },
    ];
    for (const query of queries) {
      await readRows(ctx, [ID], query);
      await inTransaction(ctx.db, (tx) => readRows(ctx, [ID], query, tx));
    }
    await readCalls(ctx, [ID]);
    const page = await conversationFiles(ctx, ID, { first: 2 }, 'files');
    await page.totalCount();
    await findFiles(ctx, ['1-0']);
  });

  it('that deletes expired data', async () => {
    await sweepDue(services);
    await sweepNow(ctx);
  });

  it('that reads versions of documents with their authors', async () => {
    expect(await currentVersion(ctx, 'none')).toBeUndefined();
    expect(await currentVersions(ctx)).toEqual([]);
    expect(await trustedVersions(ctx, 'none')).toEqual([]);
    expect(await versionText(ctx, { id: 'doc_none', name: 'none' }, 1).author()).toBeUndefined();
  });

  it('that disables a webhook endpoint, or releases one of its deliveries', async () => {
    await releaseClaim(services.stores.sql, { id: 0n, lease: ID, environmentId: ctx.environment.id });
    const endpoint = { endpointId: 'whk_none', environmentId: ctx.environment.id };
    expect(await disableFailing(services.stores.prisma, endpoint)).toBe(false);
    expect(await disableGone(services.stores.prisma, { ...endpoint, url: 'https://example.com' })).toBe(false);
  });
});
