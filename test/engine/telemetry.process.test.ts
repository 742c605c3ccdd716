import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startCollector } from '../support/collector.ts';
import { directoryStore, startOn } from '../support/data-stores.ts';
import { killAll } from '../support/process.ts';

interface Coverage {
  readonly result: readonly { readonly url: string }[];
}

describe('telemetry of a process', () => {
  afterAll(killAll);

  /** The files of `dist` that a process loads to serve a turn. Node lists every script that it has loaded. */
  async function loadedFiles(env: Record<string, string>): Promise<string[]> {
    const [store, folder] = [await directoryStore(), await mkdtemp(join(tmpdir(), 'parley-scripts-'))];
    const process = await startOn(store, { NODE_V8_COVERAGE: folder, ...env });
    expect((await process.agentTurn('Hello')).status).toBe(200);
    await process.kill('SIGTERM');
    const reports = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')));
    await Promise.all([store.remove(), rm(folder, { recursive: true })]);
    const urls = reports.flatMap((report) => (JSON.parse(report) as Coverage).result.map(({ url }) => url));
    return urls.flatMap((url) => /\/dist\/([\w-]+\.js)$/.exec(url)?.[1] ?? []);
  }

  it('loads no code of it unless OTEL_EXPORTER_OTLP_ENDPOINT is set', async () => {
    const files = await loadedFiles({});
    expect(files).toContain('service.js');
    expect(files).not.toContain('telemetry.js');
    // Of the authorization server neither, before an app asks for access.
    expect(files).not.toContain('authorization-server.js');
  });

  it('exports the last spans when it stops', async () => {
    const collector = await startCollector();
    const files = await loadedFiles({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '60000' });
    expect(files).toContain('telemetry.js');
    expect(collector.spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['chat demo', 'invoke_agent']));
    expect([...collector.metrics.keys()]).toContain('parley_turns_total');
    await collector.close();
  });
});
