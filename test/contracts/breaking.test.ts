import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { breakingOpenApiChanges, type Document } from '../../src/rest/openapi-changes.ts';
import { judgeContracts } from '../../tools/breaking.ts';
import { DOCUMENT } from '../support/openapi.ts';

const SCHEMA = 'type Query { name: String size: Int }\n';
const OPENAPI = { paths: { '/v1/a': { get: { responses: { 200: {} } } } } };
const REMOVED = "Field 'size' was removed from object type 'Query'";

/** A Git repository with only the contracts. */
class Checkout {
  readonly root: string;

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'parley-contracts-'));
    mkdirSync(join(this.root, 'schema'));
    this.write({ 'schema.graphql': SCHEMA, 'openapi.json': JSON.stringify(OPENAPI), 'CHANGES.md': '# Changes\n' });
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.root, 'schema', name), text);
  }

  git(...words: string[]): void {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...who, ...words], { cwd: this.root, stdio: 'ignore' });
  }

  commit(files: Readonly<Record<string, string>> = {}): void {
    this.write(files);
    this.git('add', '-A');
    this.git('commit', '--allow-empty', '-m', 'A step');
  }
}

describe('a breaking change of the contracts', () => {
  let checkout: Checkout;
  beforeEach(() => {
    checkout = new Checkout();
  });
  afterEach(() => rmSync(checkout.root, { recursive: true }));

  const removeSize = { 'schema.graphql': 'type Query { name: String }\n' };

  function onMain(): void {
    checkout.git('init', '-b', 'main');
    checkout.commit();
  }

  it('is found on main, uncommitted and in the last commit', async () => {
    onMain();
    checkout.commit();
    checkout.write(removeSize);
    expect(await judgeContracts(checkout.root)).toMatchObject({ unlisted: [REMOVED] });
    checkout.commit();
    expect(await judgeContracts(checkout.root)).toEqual({
      compared: expect.stringContaining('the commit before HEAD'),
      unlisted: [REMOVED],
    });
    checkout.commit();
    expect(await judgeContracts(checkout.root)).toMatchObject({ unlisted: [] });
  });

  it('is found in any commit of a branch', async () => {
    onMain();
    checkout.git('checkout', '-b', 'branch');
    checkout.commit(removeSize);
    checkout.commit();
    expect(await judgeContracts(checkout.root)).toEqual({
      compared: expect.stringMatching(/^compared with main \(/),
      unlisted: [REMOVED],
    });
  });

  it('is found in the OpenAPI document', async () => {
    onMain();
    checkout.commit({ 'openapi.json': '{}' });
    expect(await judgeContracts(checkout.root)).toMatchObject({ unlisted: ['GET /v1/a was removed'] });
  });

  it('is allowed by an exact line in the same commit, and only once', async () => {
    onMain();
    const list = `# Changes\n\n- \`${REMOVED}\`: nobody asked for it.\n`;
    checkout.commit({ ...removeSize, 'CHANGES.md': list.replace('size', 'sizes') });
    expect(await judgeContracts(checkout.root)).toMatchObject({ unlisted: [REMOVED] });
    checkout.commit({ 'schema.graphql': SCHEMA, 'CHANGES.md': '# Changes\n' });
    checkout.commit({ ...removeSize, 'CHANGES.md': list });
    expect(await judgeContracts(checkout.root)).toMatchObject({ unlisted: [] });
    checkout.commit({ 'schema.graphql': SCHEMA });
    checkout.commit(removeSize);
    expect(await judgeContracts(checkout.root)).toMatchObject({ unlisted: [REMOVED] });
  });

  it('is found in uncommitted changes of a shallow clone', async () => {
    onMain();
    checkout.commit();
    const clone = new Checkout();
    rmSync(clone.root, { recursive: true });
    execFileSync('git', ['clone', '--depth', '1', `file://${checkout.root}`, clone.root], { stdio: 'ignore' });
    expect(await judgeContracts(clone.root)).toEqual({ compared: expect.stringContaining('HEAD'), unlisted: [] });
    clone.write(removeSize);
    expect(await judgeContracts(clone.root)).toMatchObject({ unlisted: [REMOVED] });
    rmSync(clone.root, { recursive: true });
  });

  it('is not searched outside a repository', async () => {
    checkout.write(removeSize);
    expect(await judgeContracts(checkout.root)).toEqual({
      compared: expect.stringContaining('there is no earlier commit'),
      unlisted: [],
    });
  });

  it('is not found without changes', () => {
    expect(
      breakingOpenApiChanges(DOCUMENT as unknown as Document, structuredClone(DOCUMENT) as unknown as Document),
    ).toEqual([]);
  });
});
