import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';
import { filesOf } from '../support/imports.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
let guide: string;
beforeAll(async () => {
  [service, guide] = await Promise.all([startService(), readFile(join(ROOT, 'docs/operations.md'), 'utf8')]);
});
afterAll(() => service.close());

/** The text below a heading. */
function section(heading: string): string {
  const [, text = ''] = guide.split(`\n## ${heading}\n`);
  return text.split('\n## ')[0] ?? '';
}

/** The names in the first column of a section's table. */
function firstCells(heading: string): string[] {
  return [...section(heading).matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    [...String(cell).matchAll(/`([^`]+)`/g)].map(([, name]) => String(name)),
  );
}

describe('the operations guide', () => {
  it('describes exactly the metrics of /metrics', async () => {
    const { body } = await service.send('GET', '/metrics', { key: null });
    const exposed = [...body.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
    const described = firstCells('Metrics');
    expect(described.sort()).toEqual(exposed.sort());
  });

  it('uses only existing metrics, labels and values in alerts', async () => {
    const { body } = await service.send('GET', '/metrics', { key: null });
    const used = [...section('Alerts').matchAll(/\b(?:parley|process|nodejs)_\w+/g)].map(([name]) => name);
    expect(used.length).toBeGreaterThan(5);
    for (const name of used) expect(body).toContain(name.replace(/_count$/, ''));
  });

  it('explains only log lines that the service writes', () => {
    const written = filesOf('src')
      .map(({ text }) => text)
      .join('\n');
    const explained = firstCells('Logs').slice(1);
    expect(explained.length).toBeGreaterThan(10);
    for (const message of explained) expect(written).toContain(`'${message}'`);
  });

  it('describes the settings of the shipped nginx.conf', async () => {
    const shipped = await readFile(join(ROOT, 'deploy/nginx.conf'), 'utf8');
    for (const setting of [
      'proxy_next_upstream error timeout;',
      'max_fails=0',
      'keepalive_timeout 2s;',
      'proxy_read_timeout 1h;',
      'client_max_body_size 12m;',
      'hash $binary_remote_addr',
      'error_page 502 504 =503',
      'proxy_buffer_size 64k',
    ]) {
      expect(shipped).toContain(setting);
      expect(guide).toContain(setting.replace(';', ''));
    }
  });
});
