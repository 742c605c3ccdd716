import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textContent } from '../support/agent-apis.ts';
import { type PostgresStore, postgresStore, startOn } from '../support/data-stores.ts';
import { POSTGRES_URL } from '../support/database.ts';
import { dictate } from '../support/dictation.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { type TaskClient, taskClient } from '../support/mcp-tasks.ts';
import { killAll, RECOVERY_MS, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { publishedWorkflow, workflowsOf } from '../support/workflows.ts';

const CALL = {
  name: 'ask_user',
  arguments: JSON.stringify({ questions: [{ id: 'why', question: 'Why?', input_type: 'text' }] }),
};

describe.skipIf(!POSTGRES_URL)('a task whose process is killed', () => {
  let store: PostgresStore;
  let provider: FakeProvider;
  let first: ServiceProcess;
  let deploymentId: string;

  const start = () =>
    startOn(store, { ALLOW_LOOPBACK: 'true', DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });
  const clientOf = ({ url }: ServiceProcess) => taskClient(url, store.key);

  beforeAll(async () => {
    [store, provider] = await Promise.all([postgresStore(), startFakeProvider()]);
    first = await start();
    const draft = { recovery: 'CONTINUE', clientTools: [{ name: 'ask_user', availability: 'ALWAYS' }] };
    ({ deploymentId } = await publishedWorkflow(workflowsOf(first), draft as never));
  });
  afterAll(async () => {
    await killAll();
    await provider.close();
    await store.remove();
  });

  /** The task at the time when it has this status. */
  const reaches = (client: TaskClient, taskId: string, status: string) =>
    until(
      async () => {
        const task = await client.get(taskId);
        return task.status === status && task;
      },
      { withinMs: busyMs(RECOVERY_MS + 5_000) },
    );

  it('is read and answered at another process', async () => {
    // A turn runs in any process, so only one process is there when it starts.
    const dictation = dictate(provider);
    const { taskId } = await clientOf(first).call('ask_deployment', {
      ...{ deployment_id: deploymentId, content: textContent('Hello'), client_capabilities: ['ask_user'] },
    });
    dictation.say('The beginning');
    await until(async () => provider.requests.length > 0);
    provider.reply({ kind: 'answer', calls: [CALL] });
    const second = await start();
    await first.kill('SIGKILL');
    const client = clientOf(second);
    expect((await client.get(taskId)).taskId).toBe(taskId);
    const waiting = await reaches(client, taskId, 'input_required');
    // The answer is stored when the process that took it is killed.
    const third = await start();
    const held = dictate(provider);
    const [key = ''] = Object.keys(waiting.inputRequests);
    await client.update(taskId, { [key]: { action: 'accept', content: { why: 'Because' } } });
    held.say('The beginning');
    provider.reply({ kind: 'answer', deltas: ['The end'] });
    await second.kill('SIGKILL');
    const { result } = await reaches(clientOf(third), taskId, 'completed');
    expect(result.structuredContent).toMatchObject({ run_id: taskId, content: 'The end' });
  });
});
