import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { endUserToken } from '../support/end-users.ts';
import { HandledTalks } from '../support/handled-talks.ts';
import { HANDS_OVER } from '../support/handling.ts';
import { makeKey, makeWorkspace, openSession } from '../support/tenants.ts';

let talks: HandledTalks;
beforeAll(async () => {
  talks = await HandledTalks.start();
});
afterAll(() => talks.parts.close());
beforeEach(() => talks.reset());

const DAY_MS = 86_400_000;
const REPORT = `query ($period: ReportPeriodInput!) { handOverReport(period: $period) {
  handOvers taken medianFirstAnswerTime p95FirstAnswerTime waiting oldestWaitingSince } }`;

const period = (from: number, to: number) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
const today = () => period(Date.now() - DAY_MS, Date.now() + DAY_MS);

async function report(key?: string, of: object = today()) {
  const { body } = await talks.parts.service.graphql(REPORT, { period: of }, key ? { key } : {});
  expect(body.errors).toBeUndefined();
  return body.data.handOverReport;
}

/** A conversation that has waited for so many seconds. */
async function waited(seconds: number): Promise<string> {
  talks.parts.provider.reply(...HANDS_OVER);
  const id: string = (await talks.parts.turn(talks.agent)).body.conversation_id;
  const since = new Date(Date.now() - seconds * 1_000);
  await talks.db.conversation.updateMany({ where: { id }, data: { handlingSince: since } });
  return id;
}

const NOTHING = { handOvers: 0, taken: 0, medianFirstAnswerTime: null, p95FirstAnswerTime: null };

describe('handOverReport', () => {
  it('counts hand-overs, take-overs and the time to first answers, and what waits now', async () => {
    expect(await report()).toEqual({ ...NOTHING, waiting: 0, oldestWaitingSince: null });
    const [first, second, third] = [await waited(60), await waited(120), await waited(600)];
    expect(await report()).toMatchObject({ ...NOTHING, handOvers: 3, waiting: 3 });
    const { handlingSince } = await talks.conversation(third);
    expect((await report()).oldestWaitingSince).toBe(handlingSince?.toISOString());
    for (const id of [first, second]) {
      await talks.act(id, 'takeover');
      await talks.answer(id, 'Hello.');
    }
    // No first answer, so it does not change the median.
    for (const text of ['How can I help?', 'Are you there?']) await talks.answer(first, text);
    // It did not wait, so its answer is no first one.
    const direct = await talks.started();
    await talks.act(direct, 'takeover');
    await talks.answer(direct, 'Hello.');
    const { medianFirstAnswerTime, p95FirstAnswerTime, ...counts } = await report();
    expect(counts).toMatchObject({ handOvers: 3, taken: 3, waiting: 1 });
    expect(medianFirstAnswerTime).toBeGreaterThanOrEqual(90);
    expect(medianFirstAnswerTime).toBeLessThan(105);
    expect(p95FirstAnswerTime).toBeGreaterThanOrEqual(117);
    expect(p95FirstAnswerTime).toBeLessThan(130);
    expect(await report(undefined, period(Date.now() - 2 * DAY_MS, Date.now() - DAY_MS))).toMatchObject({
      ...NOTHING,
      waiting: 1,
    });
    // A fork has the same history, but it happened once.
    const fork = await talks.parts.service.send('POST', `/v1/runner/conversation/${first}/fork`, { body: {} });
    expect(fork.status).toBe(201);
    expect(await report()).toMatchObject({ ...counts, medianFirstAnswerTime, p95FirstAnswerTime });
  });

  it('reports nothing of other environments and workspaces', async () => {
    await waited(1);
    const { keys } = await makeWorkspace(talks.parts.service);
    const empty = { ...NOTHING, waiting: 0, oldestWaitingSince: null };
    expect(await report(keys.live)).toEqual(empty);
    expect(await report(await makeKey(talks.parts.service, { kind: 'test' }))).toEqual(empty);
  });

  it('is for everybody who reads all conversations, so not for end users and bound keys', async () => {
    const { service } = talks.parts;
    expect((await report(await openSession(service, 'viewer'))).handOvers).toBeGreaterThan(0);
    const user = await endUserToken(service, talks.agent, 'ada');
    const bound = await makeKey(service, { deploymentIds: [talks.agent] });
    for (const key of [user, bound, null]) {
      const { body } = await service.graphql(REPORT, { period: today() }, { key });
      expect(body.errors[0].extensions.code).toBe(key === null ? 'UNAUTHORIZED' : 'FORBIDDEN');
    }
  });

  it('refuses a period that is too long or ends before it starts', async () => {
    const now = Date.now();
    for (const [of, param] of [
      [period(now - (LIMITS.usageDays + 1) * DAY_MS, now), 'period.to'],
      [period(now, now - 1), 'period.from'],
    ] as const) {
      const { body } = await talks.parts.service.graphql(REPORT, { period: of });
      expect(body.errors[0].extensions).toMatchObject({ code: 'INVALID_REQUEST', param });
    }
  });

  it('reads only the indexes of hand-overs and of first answers', async () => {
    const { prisma } = talks.parts.service.service.services.stores;
    const { environmentId } = await talks.conversation(await talks.started());
    const plans = await prisma.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL enable_seqscan = off`;
      const within = [environmentId, new Date(0), new Date()] as const;
      return Promise.all(
        ["kind = 'handling'", 'waited_since IS NOT NULL'].map((condition) =>
          tx.$queryRawUnsafe(
            `EXPLAIN (FORMAT JSON) SELECT count(*) FROM timeline_item
             WHERE environment_id = $1::uuid AND created_at >= $2 AND created_at < $3 AND ${condition}`,
            ...within,
          ),
        ),
      );
    });
    expect(JSON.stringify(plans[0])).toContain('timeline_item_handling');
    expect(JSON.stringify(plans[1])).toContain('timeline_item_first_answers');
  });
});
