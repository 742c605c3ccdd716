import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHARGE, connect } from '../support/actions.ts';
import { textContent } from '../support/agent-apis.ts';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { startReceiver } from '../support/receiver.ts';
import { openSession } from '../support/tenants.ts';
import { startTracingService, type TracingService } from '../support/traces.ts';
import { launchBrowser } from '../support/visit.ts';

const HOUR = 3_600_000;

let host: TracingService;
let browser: Browser;
let asker: string;
beforeAll(async () => {
  [host, browser] = await Promise.all([startTracingService(), launchBrowser()]);
  asker = await host.agent({ instructions: 'Help {{NAME}}.', clientTools: [{ name: 'ask_user' }] });
});
afterAll(async () => {
  await host?.close();
});

const db = () => host.service.service.services.stores.prisma;

const runOf = (id: string) => db().run.findFirstOrThrow({ where: { id } });

/** Opens the trace of a run. */
async function openTrace(runId: string) {
  const { conversationId } = await runOf(runId);
  const path = `/dashboard/conversations/${conversationId}/runs/${runId}`;
  const window = await signedIn(browser, host.service, path);
  await window.page.getByRole('list', { name: 'Steps and calls' }).waitFor();
  return window;
}

const rows = (page: Page) => page.getByRole('list', { name: 'Steps and calls' }).locator('> li');

const QUESTION = { questions: [{ id: 'size', question: 'Which size?', input_type: 'text' }] };

/** A turn that waits for the answer to a question. */
async function waitingTurn() {
  host.provider.reply({
    kind: 'answer',
    deltas: ['One question first.'],
    calls: [{ name: 'ask_user', arguments: JSON.stringify(QUESTION) }],
    usage: { input: 900, output: 12 },
  });
  const fields = { client_capabilities: ['ask_user'], content: textContent('Order a shirt') };
  const { body } = await host.turn(asker, { ...fields, variables: { NAME: 'Ada' } });
  expect(body.run_status).toBe('waiting_for_client_action');
  return body;
}

async function answer({ conversation_id, client_tool_calls: [{ call_id }] }: Awaited<ReturnType<typeof waitingTurn>>) {
  host.provider.reply({ kind: 'answer', deltas: ['Ordered in M.'], usage: { input: 1_100, output: 8 } });
  const output = { answers: [{ id: 'size', value: 'M' }] };
  const { body } = await host.turn(asker, { conversation_id, tool_results: [{ call_id, output }] });
  expect(body.run_status).toBe('completed');
}

/** Moves what a turn has done so far to an earlier time. */
async function moveBack(runId: string, ms: number) {
  const earlier = (date: Date) => new Date(date.getTime() - ms);
  const [run, spans, logs, items] = await Promise.all([
    runOf(runId),
    db().traceSpan.findMany({ where: { runId } }),
    db().workflowLog.findMany({ where: { runId } }),
    db().timelineItem.findMany({ where: { runId } }),
  ]);
  await db().run.updateMany({ where: { id: runId }, data: { createdAt: earlier(run.createdAt) } });
  const idOf = <Id>({ id, environmentId }: { id: Id; environmentId: string }) => ({
    environmentId_id: { environmentId, id },
  });
  for (const span of spans)
    await db().traceSpan.update({ where: idOf(span), data: { startedAt: earlier(span.startedAt) } });
  for (const log of logs)
    await db().workflowLog.update({ where: idOf(log), data: { createdAt: earlier(log.createdAt) } });
  for (const item of items)
    await db().timelineItem.update({ where: idOf(item), data: { createdAt: earlier(item.createdAt) } });
}

describe('the time axis of a trace', () => {
  it('names the time in the queue, and the facts of the turn are one line', async () => {
    host.provider.reply({ kind: 'answer', deltas: ['Done.'], usage: { input: 1_000, output: 20 } });
    await db().environment.updateMany({ data: { backgroundRuns: 0 } });
    const { body } = await host.turn(host.deploymentId, { background: true, variables: { NAME: 'Ada' } });
    const isOlder = async () => Date.now() - (await runOf(body.run_id)).createdAt.getTime() > 1_500;
    await expect.poll(isOlder).toBe(true);
    await db().environment.updateMany({ data: { backgroundRuns: null } });
    host.service.service.services.stores.pubSub.publish('queued-runs');
    await expect.poll(async () => (await runOf(body.run_id)).status).toBe('completed');
    const window = await openTrace(body.run_id);
    const { page } = window;
    await expect
      .poll(() => rows(page).first().innerText())
      .toMatch(/^Waited to start\s+(shortened on the axis\s+)?[1-9]\.\d\d s$/);
    await rows(page).getByText('Step 1: openai-compatible:test').waitFor();
    await page
      .getByText(/^[1-9]\.\d\d s · openai-compatible:test · 1,000 input \+ 20 output tokens · .*version 1$/)
      .waitFor();
    expect(await page.getByText(body.run_id).filter({ visible: true }).count()).toBe(0);
    await page.getByText('Details', { exact: true }).click();
    await page.getByText(body.run_id).filter({ visible: true }).waitFor();
    await page.getByText(/ model steps \+ [1-9]\.\d\d s waiting to start/).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace-queue');
    expectQuiet(window);
    await window.close();
  });

  it('names a pause, and shortens hours of waiting so that the steps stay visible', async () => {
    const waiting = await waitingTurn();
    const waits = await openTrace(waiting.run_id);
    await rows(waits.page).getByText('Waits for an answer: Questions').waitFor();
    await rows(waits.page)
      .getByText(/^since /)
      .waitFor();
    await waits.page.getByText(/ so far · /).waitFor();
    await waits.close();
    await moveBack(waiting.run_id, 3 * HOUR);
    await answer(waiting);
    const window = await openTrace(waiting.run_id);
    const { page } = window;
    const pause = rows(page).filter({ hasText: 'Waited for an answer: Questions' });
    await pause.getByText('3 h', { exact: true }).waitFor();
    await pause.getByText('shortened on the axis').waitFor();
    await page.getByText(/3 h waiting for answers.*Long gaps are shortened on the axis/).waitFor();
    const width = await pause.locator('rect').getAttribute('width');
    expect(Number.parseFloat(width ?? '')).toBeLessThan(51);
    await page.locator('svg text', { hasText: '⋯' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace-pause');
    expectQuiet(window);
    await window.close();
  });

  it('names an approval, and the member who gave it', async () => {
    const bank = await startReceiver();
    bank.respondWith((response) => void response.writeHead(200).end('charged'));
    await connect(host.service, { kind: 'http', name: 'Bank', url: bank.url });
    const approval = { mode: 'always', approver: 'member' } as const;
    const charge = { ...CHARGE, method: 'POST', description: 'Charges the card.', approval } as const;
    const deploymentId = await host.agent({ httpActions: [charge] });
    const calls = [{ name: 'charge', arguments: '{}' }];
    host.provider.reply({ kind: 'answer', calls }, { kind: 'answer', deltas: ['Charged.'] });
    const { body } = await host.turn(deploymentId);
    expect(body.run_status).toBe('waiting_for_client_action');
    const answered = await host.service.send('POST', `/v2/runner/${deploymentId}/conversation`, {
      body: {
        conversation_id: body.conversation_id,
        tool_results: [{ call_id: body.client_tool_calls[0].call_id, output: { approved: true } }],
      },
      headers: { authorization: `Bearer ${await openSession(host.service, 'developer')}` },
    });
    expect(answered.body.run_status).toBe('completed');
    const window = await openTrace(body.run_id);
    await rows(window.page)
      .getByText(/^Waited for an approval, answered by \S/)
      .waitFor();
    const names = await rows(window.page).locator('.font-medium').allInnerTexts();
    expect(names).toEqual(['Step 1: openai-compatible:test', 'Call: charge', 'Step 2: openai-compatible:test']);
    expectQuiet(window);
    await window.close();
    await bank.close();
  });

  it('is right about each page of a long trace', async () => {
    const runId = await host.toolTurn();
    const [span] = await db().traceSpan.findMany({ where: { runId, kind: 'tool_call' } });
    const { createdAt } = await runOf(runId);
    if (!span) throw new Error('the turn called no tool');
    await db().traceSpan.deleteMany({ where: { runId } });
    const seconds = (count: number) => new Date(createdAt.getTime() + count * 1_000);
    const id = (index: number) => `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`;
    const copies = Array.from({ length: 150 }, (_, index) => ({
      ...span,
      ...{ id: id(index), step: index + 1, startedAt: seconds(index), durationMs: 1_000 },
    }));
    await db().traceSpan.createMany({ data: copies });
    await db().run.updateMany({ where: { id: runId }, data: { updatedAt: seconds(151) } });
    const window = await openTrace(runId);
    const { page } = window;
    await expect.poll(() => rows(page).last().innerText()).toMatch(/^Later steps\s+51 s$/);
    expect(await rows(page).count()).toBe(101);
    await page.getByRole('link', { name: 'Later steps →' }).click();
    await expect
      .poll(() => rows(page).first().innerText())
      .toMatch(/^Earlier steps\s+shortened on the axis\s+1 min 40 s$/);
    await expect.poll(() => rows(page).last().innerText()).toMatch(/^After the last step\s+1\.00 s$/);
    expect(await rows(page).count()).toBe(52);
    expectQuiet(window);
    await window.close();
  });
});

describe('a step of a trace', () => {
  it('shows its prompt and answer as messages, with calls that open and JSON on demand', async () => {
    const waiting = await waitingTurn();
    await answer(waiting);
    const window = await openTrace(waiting.run_id);
    const { page } = window;
    const step = rows(page).filter({ hasText: 'Step 2' });
    expect(await step.getByText('Help Ada.').count()).toBe(0);
    await step.getByText('Step 2: openai-compatible:test').click();
    const messages = step.getByRole('list', { name: 'Messages', exact: true });
    await messages.getByText('Order a shirt', { exact: true }).waitFor();
    const roles = await messages
      .getByRole('listitem')
      .evaluateAll((items) => items.map((item) => item.firstElementChild?.textContent));
    expect(roles).toEqual(['User', 'Assistant', 'Results of calls']);
    await step
      .getByRole('list', { name: 'Instructions' })
      .getByText(/Help Ada\./)
      .waitFor();
    await step.getByRole('list', { name: 'Answer' }).getByText('Ordered in M.', { exact: true }).waitFor();
    expect(await step.locator('pre').count()).toBe(0);
    await messages.getByText('Call ask_user').click();
    await messages.locator('pre', { hasText: 'Which size?' }).waitFor();
    await messages.getByText('Result ask_user').click();
    await messages.locator('pre', { hasText: '"value": "M"' }).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace-messages');
    await step.getByText('Show JSON').click();
    await step.locator('pre', { hasText: '"messagesLeftOut": 0' }).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('hides earlier messages and long instructions until they are opened', async () => {
    const deploymentId = await host.agent({
      instructions: `Be brief. ${'Keep to the facts. '.repeat(40)}`,
      historyLimit: 20,
    });
    host.provider.reply({ kind: 'answer', deltas: ['Noted.'], usage: { input: 10, output: 2 } });
    const first = await host.turn(deploymentId, { content: textContent('The first fact') });
    const { conversation_id } = first.body;
    for (const text of ['second', 'third', 'fourth'])
      await host.turn(deploymentId, { conversation_id, content: textContent(`The ${text} fact`) });
    const last = await host.turn(deploymentId, {
      conversation_id,
      content: textContent(`The last fact ${'x'.repeat(3_000)}`),
    });
    const window = await openTrace(last.body.run_id);
    const { page } = window;
    await rows(page).getByText('Step 1: openai-compatible:test').click();
    await rows(page).getByText('The third fact').waitFor();
    expect(await rows(page).getByText('The first fact').count()).toBe(0);
    await rows(page).getByText('3 earlier messages').click();
    await rows(page).getByText('The first fact').waitFor();
    expect(
      await rows(page)
        .getByText(/Keep to the facts/)
        .count(),
    ).toBe(0);
    await rows(page)
      .getByText(/^Instructions \(\d+ characters\)$/)
      .click();
    await rows(page)
      .getByText(/Keep to the facts/)
      .waitFor();
    await rows(page)
      .getByRole('button', { name: /^Show all 3,\d\d\d characters$/ })
      .click();
    await rows(page)
      .getByText(/x{3000}/)
      .waitFor();
    await expectAccessible(page);
    await screenshot(page, 'dashboard-trace-long-prompt');
    expectQuiet(window);
    await window.close();
  });
});
