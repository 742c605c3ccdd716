import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_TOOL_NAMES, CLIENT_TOOLS } from '../../src/contract/client-tools.ts';
import { BUILT_IN_TOOLS } from '../../src/contract/tool-names.ts';
import { schemaProblem } from '../../src/domain/json-schema/schema-problem.ts';

const ROOT = join(import.meta.dirname, '../..');
const guidePaths = (): string[] => {
  const docs = join(ROOT, 'docs');
  const names = existsSync(docs) ? readdirSync(docs, { recursive: true, encoding: 'utf8' }) : [];
  return [join(ROOT, 'README.md'), ...names.filter((name) => name.endsWith('.md')).map((name) => join(docs, name))];
};

const FORMS = readFileSync(join(ROOT, 'src/web/calls/pending-round.tsx'), 'utf8');
const GUIDES = guidePaths()
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

describe.each([...CLIENT_TOOL_NAMES])('the client tool %s', (name) => {
  it('has a valid schema for its arguments', () => {
    expect(schemaProblem(CLIENT_TOOLS[name].inputSchema)).toBeUndefined();
  });

  it('has a form in the hosted agent page', () => {
    const message = `Add the form of ${name} to FORMS in src/web/calls/pending-round.tsx`;
    expect(new RegExp(`^  ${name}: \\w+Form,$`, 'm').test(FORMS), message).toBe(true);
  });

  it('is described in the guides', () => {
    const message = `Describe \`${name}\` in docs/client-tools-and-agents.md`;
    expect(GUIDES.includes(`\`${name}\``), message).toBe(true);
  });
});

describe('built-in tools', () => {
  it.each([...BUILT_IN_TOOLS])('%s is described in the guides', (name) => expect(GUIDES).toContain(`\`${name}\``));
});
