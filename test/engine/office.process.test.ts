import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishScripted } from '../support/actions.ts';
import { directoryStore, startOn } from '../support/data-stores.ts';
import { busyMs } from '../support/event-loop.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { DOCX, docx } from '../support/office-files.ts';
import { killAll, type ServiceProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { workflowsOf } from '../support/workflows.ts';

let provider: FakeProvider;
let store: Awaited<ReturnType<typeof directoryStore>>;
beforeAll(async () => {
  provider = await startFakeProvider();
  provider.reply({ kind: 'answer', deltas: ['I see.'] });
  store = await directoryStore();
});
afterEach(killAll);
afterAll(() => Promise.all([provider.close(), store.remove()]));

/** Each test needs another document, because conversions are cached. 30 MB of XML take longer than a conversion can. */
const slowDocument = (name: string) => docx([name], '<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(900_000));

const childrenOf = (pid: number | undefined) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** A child that still has the code of the service must not be stopped: the service waits until it has its own. */
const converterOf = (pid: number | undefined) =>
  childrenOf(pid).find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('office-converter'));

/** Whether the process runs. A zombie does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** The time of its threads, from the fields 14 and 15 in hundredths of a second. A start takes less than half a second. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/** Starts the service, and a turn with a document. Returns them with the process that converts the document. */
async function converting(document: Buffer) {
  const service = await startOn(store, { DEFAULT_MODEL: 'openai-compatible:any', OPENAI_BASE_URL: provider.url });
  const { turn } = await publishScripted(service, workflowsOf(service), {});
  const send = (bytes: Buffer) =>
    turn('', { content: [{ type: 'data', mime_type: DOCX, data: bytes.toString('base64') }] });
  const turned = send(document);
  // A test of the service's end does not read it.
  turned.catch(() => {});
  const converter = await until(async () => converterOf(service.child.pid));
  return { service, send, turned, converter };
}

const lastText = () => JSON.stringify(provider.requests.at(-1)?.body.messages);

/** The service converts the next document, and has no child process left. */
async function expectReady(service: ServiceProcess, send: (bytes: Buffer) => Promise<unknown>): Promise<void> {
  expect(await send(docx(['after it']))).toMatchObject({ status: 200 });
  expect(lastText()).toContain('after it');
  await until(async () => childrenOf(service.child.pid).length === 0);
}

describe('a process that converts a document', () => {
  it('that is killed leaves the model without the document, as an unreadable one does', async () => {
    const { service, send, turned, converter } = await converting(slowDocument('killed'));
    process.kill(converter, 'SIGKILL');
    expect(await turned).toMatchObject({ status: 200, body: { content: 'I see.' } });
    expect(lastText()).toContain('could not be given to you: it is damaged, encrypted or too large');
    await expectReady(service, send);
  });

  it('that hangs is ended', async () => {
    const { service, send, turned, converter } = await converting(slowDocument('hanging'));
    process.kill(converter, 'SIGSTOP');
    expect(await turned).toMatchObject({ status: 200, body: { content: 'I see.' } });
    expect(lastText()).toContain('could not be given to you: it could not be read in time');
    expect(runs(converter)).toBe(false);
    await expectReady(service, send);
  });

  it('ends after SIGKILL of the service, in the middle of its work', async () => {
    const { service, converter } = await converting(slowDocument('lost'));
    await until(async () => cpuSecondsOf(converter) > 0.7);
    process.kill(converter, 'SIGSTOP');
    await service.kill('SIGKILL');
    process.kill(converter, 'SIGCONT');
    // Otherwise it needs seconds to reach its limit of memory.
    await until(async () => !runs(converter), { withinMs: busyMs(1_000) });
  });
});
