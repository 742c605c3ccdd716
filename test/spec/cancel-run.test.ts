import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAPABLE, lookup, pauseTurn, readHistory, resume } from '../support/agent-turns.ts';
import { expectError, expectGraphqlError } from '../support/error-bodies.ts';
import { errorOf } from '../support/results.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const CANCEL = `mutation ($id: ID!) { cancelRun(input: { conversationId: $id }) { __typename ... on CancelRunPayload { conversation {
  status latestRun { runId status } pendingActions { callId } toolSummary { name status } } } ... on Error { code message path } } }`;

const cancel = (id: string) => service.graphql(CANCEL, { id });

async function paused(script = `${lookup('c1')}\n/say Done`) {
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  return pauseTurn(service, id, script);
}

describe('cancelRun', () => {
  it('fails the waiting run, cancels its calls, and lets the conversation accept its next turn', async () => {
    const waiting = await paused();
    const { conversationId: id, runId } = waiting;
    expect((await cancel(id)).body.data.cancelRun.conversation).toEqual({
      status: 'ACTIVE',
      latestRun: { runId, status: 'FAILED' },
      pendingActions: [],
      toolSummary: [{ name: 'lookup_customer', status: 'CANCELLED' }],
    });
    const history = await readHistory(service, id);
    expect(history.run_status).toBe('failed');
    expect(history.items.at(-1)).toMatchObject({ type: 'client_tool', status: 'cancelled', output: null });
    expectError(await resume(service, waiting, { name: 'Ann' }), 'unknown_call_id', {
      facts: { call_ids: [waiting.callId] },
    });
    expect((await service.agentTurn('More', { conversation_id: id })).body.content).toBe('You said: More');
  });

  it('interrupts a run whose results were accepted', async () => {
    const first = await paused(`${lookup('c1')}\n${lookup('c2')}\n/say Done`);
    expect((await resume(service, first, { name: 'Ann' })).body.run_status).toBe('waiting_for_client_action');
    const { body } = await cancel(first.conversationId);
    expect(body.data.cancelRun.conversation.latestRun.status).toBe('INTERRUPTED');
    expect(body.data.cancelRun.conversation.toolSummary).toEqual([
      { name: 'lookup_customer', status: 'COMPLETED' },
      { name: 'lookup_customer', status: 'CANCELLED' },
    ]);
  });

  it('does nothing if no run is waiting, even when repeated', async () => {
    const { conversationId: id } = await paused();
    await cancel(id);
    const [repeated, once] = [await cancel(id), await service.agentTurn('Never waited')];
    expect(repeated.body.data.cancelRun.conversation.latestRun.status).toBe('FAILED');
    const unchanged = await cancel(once.body.conversation_id);
    expect(unchanged.body.data.cancelRun.conversation.latestRun.status).toBe('COMPLETED');
    const entries = await service.service.services.stores.prisma.auditEntry.findMany({
      where: { action: 'run.cancelled', subjectId: { in: [id, once.body.conversation_id] } },
    });
    expect(entries).toHaveLength(1);
  });

  it('is rejected while a turn is running, and the turn continues', async () => {
    const { conversation_id: id } = (await service.agentTurn('Hello')).body;
    const response = service.agentTurn('/slow 2\n/say Done', { conversation_id: id });
    await until(async () => {
      const where = { conversationId: id, status: 'running' } as const;
      return (await service.service.services.stores.prisma.run.findFirst({ where })) ?? undefined;
    });
    expect(errorOf(await cancel(id))?.code).toBe('run_in_progress');
    expect((await response).body.content).toBe('Done');
  });

  it('lets either the cancellation or the results win a race', async () => {
    for (let round = 0; round < 5; round += 1) {
      const waiting = await paused();
      const [cancelled, resumed] = await Promise.all([
        cancel(waiting.conversationId),
        resume(service, waiting, { name: 'Ann' }),
      ]);
      const { run_status: status } = await readHistory(service, waiting.conversationId);
      if (status === 'failed') expect(resumed.body.error.code).toBe('unknown_call_id');
      else {
        expect([status, resumed.body.content]).toEqual(['completed', 'Done']);
        // The cancellation arrived while the run was running or after its end.
        expect(errorOf(cancelled)?.code).toBeOneOf([undefined, 'run_in_progress']);
      }
    }
  });

  it('hides the conversation from another environment', async () => {
    const { conversationId: id } = await paused();
    const foreign = await service.graphql(CANCEL, { id }, { key: service.keys.test });
    expectGraphqlError(foreign, 'not_found');
    const { body } = await service.agentTurn('/ask', { ...CAPABLE, conversation_id: id });
    expect(body.error.code).toBe('client_action_required');
  });
});
