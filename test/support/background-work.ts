import { randomUUID } from 'node:crypto';
import { expireHandling } from '../../src/domain/agent/handling/expired-handling.ts';
import { answerAllOwed } from '../../src/domain/agent/handling/owed-answers.ts';
import { deleteOrphans } from '../../src/domain/agent/live/live-text-sql.ts';
import { deleteExpiredPresence } from '../../src/domain/agent/presence/expired-presence.ts';
import { deleteEndedDefaults } from '../../src/domain/budgets/default-budgets.ts';
import { releaseAll } from '../../src/domain/budgets/release.ts';
import { sweepFiles } from '../../src/domain/files/sweeper.ts';
import { sweepDue } from '../../src/domain/retention/sweep.ts';
import { sweepTraces } from '../../src/domain/retention/traces.ts';
import { disableFailing, disableGone } from '../../src/domain/webhooks/disable.ts';
import { sweepDeliveries } from '../../src/domain/webhooks/queue.ts';
import { textContent } from './agent-apis.ts';
import { createBudgetRows } from './budget-rows.ts';
import { insertDeadTurns } from './dead-turns.ts';
import type { TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';
import { until } from './until.ts';

/** How the statements of this file start. */
export const BY_THE_TEST = '/* by the test */';

/** A part of each statement with which a background task changes rows that its finder found. */
export const BACKGROUND_CHANGES: readonly string[] = [
  'fence = run.fence + 1, updated_at = now(), attempts_left = run.attempts_left - 1',
  "error_code = CASE WHEN NOT interrupted THEN 'process_lost'",
  'SET handling = $',
  'SET owes_answer = false, latest_run_id',
  'DELETE FROM conversation_presence WHERE environment_id',
  'DELETE FROM queued_turn q',
  'run.id = ANY (ARRAY (SELECT id FROM chosen))',
  'SET status = result.status::call_status',
  'attempts_left = greatest(attempts_left',
  '"expired" = $',
  'DELETE FROM live_text WHERE environment_id',
  'INSERT INTO webhook_delivery',
  'FROM free WHERE d.id = free.id',
  'UPDATE webhook_endpoint w SET enabled = false',
  'DELETE FROM webhook_delivery WHERE environment_id',
  'DELETE FROM webhook_replay WHERE environment_id',
  'DELETE FROM idempotency_record WHERE environment_id',
  'UPDATE budget b SET reserved',
  'DELETE FROM budget WHERE environment_id',
  'UPDATE retention SET conversations',
  'DELETE FROM trace_span WHERE environment_id',
  'DELETE FROM file WHERE id',
  'UPDATE file_removal SET remove_after',
  'DELETE FROM file_removal WHERE environment_id',
];

/** Lets every background task find and change something, on the data of a service with fixtures. */
export async function doBackgroundWork(service: TestService): Promise<void> {
  await addEndpoint(service);
  await expireCalls(service);
  await leaveTurns(service);
  await waitForTurn(service);
  await makeOld(service);
  await leaveBudgets(service);
  await leaveHandled(service);
  const { services } = service.service;
  await sweepDeliveries(services.stores.sql);
  await services.stores.idempotency.sweep();
  await sweepTraces(services);
  await sweepFiles(services);
  await releaseAll(services.stores.sql);
  await deleteEndedDefaults(services.stores.sql);
  await sweepDue(services);
  await deleteOrphans(services.stores.sql);
  const endpoint = { endpointId: 'whk_none', environmentId: randomUUID() };
  await disableFailing(services.stores.prisma, endpoint);
  await disableGone(services.stores.prisma, { ...endpoint, url: 'https://example.com' });
  // It counts turns without an owner.
  await service.send('GET', '/readyz');
}

type Send = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

function sender({ service }: TestService): Send {
  return (text, values = []) => service.services.stores.prisma.$queryRawUnsafe(`${BY_THE_TEST} ${text}`, ...values);
}

async function countOf(send: Send, from: string, values: readonly unknown[]): Promise<number> {
  const [row] = await send<{ count: number }>(`SELECT count(*)::int AS count FROM ${from}`, values);
  return row?.count ?? 0;
}

/** With one environment, webhooks need no finder. */
async function addEndpoint(service: TestService): Promise<void> {
  const document =
    'mutation { createWebhookEndpoint(input: { url: "https://127.0.0.1:9/" }) { __typename ... on Error { message } } }';
  const { body } = await service.graphql(document, {}, { key: service.keys.test });
  const { __typename, message } = body.data.createWebhookEndpoint;
  if (__typename !== 'CreateWebhookEndpointPayload') throw new Error(message);
}

/** Ends the time of two turns that wait for their clients: one is cancelled, one continues with an output. */
async function expireCalls(service: TestService): Promise<void> {
  const send = sender(service);
  const questions = [{ id: 'name', question: 'Name?', input_type: 'text' }];
  for (const mode of ['cancel', 'deny']) {
    const { body } = await service.agentTurn(`/call ask_user ${JSON.stringify({ questions })}`, {
      client_capabilities: ['ask_user'],
    });
    const [{ call_id: callId }] = body.client_tool_calls;
    const onExpiry = JSON.stringify({ mode });
    await send('UPDATE timeline_item SET expires_at = to_timestamp(0), on_expiry = $2::jsonb WHERE call_id = $1', [
      callId,
      onExpiry,
    ]);
    await until(async () => (await countOf(send, 'timeline_item WHERE call_id = $1 AND expired', [callId])) === 1);
  }
}

/** Leaves running turns and a waiting message of a dead process, and text of a run that has ended. */
async function leaveTurns(service: TestService): Promise<void> {
  const send = sender(service);
  const { body } = await service.agentTurn('Hello');
  const { conversation_id: conversationId, run_id: runId } = body;
  const turns = { conversationId, count: 2, leaseSeconds: 3_600 };
  await insertDeadTurns(send, turns);
  await send(
    `UPDATE run SET attempts_left = CASE WHEN conversation_id = (SELECT max(conversation_id::text)::uuid FROM run
       WHERE request_id = 'dead') THEN 0 ELSE attempts_left END, lease_expires_at = to_timestamp(0)
     WHERE request_id = 'dead'`,
  );
  await send(
    `INSERT INTO queued_turn (run_id, environment_id, conversation_id, content, agent, workflow_version, model,
                              request_id, lease_owner, lease_expires_at, created_at)
     SELECT gen_random_uuid(), environment_id, id, '[]', true, 1, 'demo', 'dead', gen_random_uuid(), to_timestamp(0),
            now()
     FROM conversation WHERE id = $1::uuid`,
    [conversationId],
  );
  await send(
    `INSERT INTO live_text (run_id, environment_id, fence, step, position, text)
     SELECT id, environment_id, 0, 1, 0, 'orphan' FROM run WHERE id = $1::uuid`,
    [runId],
  );
  const ended = "run WHERE request_id = 'dead' AND status <> 'running'";
  await until(async () => (await countOf(send, ended, [])) === turns.count + 1);
}

/** Ends the lease of a person, then the wait for another one, and lets the assistant answer what came meanwhile. */
async function leaveHandled(service: TestService): Promise<void> {
  const send = sender(service);
  const { conversation_id: id } = (await service.agentTurn('Hello')).body;
  await service.send('POST', `/v1/conversations/${id}/takeover`, { body: {} });
  await service.agentTurn('Are you there?', { conversation_id: id });
  const { services } = service.service;
  for (let change = 0; change < 2; change += 1) {
    await send(
      'UPDATE conversation SET handling_until = to_timestamp(0) WHERE id = $1::uuid AND handling_until IS NOT NULL',
      [id],
    );
    await expireHandling(services);
    await answerAllOwed(services);
  }
  await send(
    `INSERT INTO conversation_presence (environment_id, conversation_id, person, kind, seen_until)
     SELECT environment_id, id, 'user', 'user', to_timestamp(0) FROM conversation WHERE id = $1::uuid`,
    [id],
  );
  await deleteExpiredPresence(services.stores.sql);
}

/** Lets a message wait for a turn until its lease is renewed. */
async function waitForTurn(service: TestService): Promise<void> {
  const { id } = await makeDeployment(service, {}, { kind: 'agent', doubleTextPolicy: 'enqueue' });
  const turn = async (text: string, fields: object = {}) => {
    const body = { content: textContent(text), ...fields };
    return (await service.send('POST', `/v2/runner/${id}/conversation`, { body })).body;
  };
  const { conversation_id } = await turn('Hello');
  await Promise.all(['/slow 2', '/slow 2'].map((text) => turn(text, { conversation_id })));
}

/** Leaves a reservation of a dead process, and the default budget of a run that no longer exists. */
async function leaveBudgets({ service }: TestService): Promise<void> {
  const { prisma } = service.services.stores;
  const { id: environmentId } = await prisma.environment.findFirstOrThrow();
  const old = { environmentId, createdAt: new Date(0) };
  await createBudgetRows(prisma, old);
  const { id } = (await createBudgetRows(prisma, old)).Budget;
  await prisma.budget.update({
    where: { environmentId_id: { environmentId, id } },
    data: { place: `run:${randomUUID()}`, isDefault: true },
  });
}

/** Makes rows of the fixtures so old that they are deleted. */
async function makeOld(service: TestService): Promise<void> {
  const send = sender(service);
  await send("UPDATE webhook_delivery SET status = 'failed', finished_at = to_timestamp(0), next_attempt_at = NULL");
  await send('UPDATE webhook_replay SET created_at = to_timestamp(0)');
  await send('UPDATE idempotency_record SET expires_at = to_timestamp(0)');
  await send('UPDATE trace_span SET started_at = to_timestamp(0)');
  await send('UPDATE file SET expires_at = to_timestamp(0) WHERE used_at IS NULL');
  await send('UPDATE file_removal SET remove_after = to_timestamp(0)');
  await send('UPDATE retention SET next_sweep_at = to_timestamp(0)');
}
