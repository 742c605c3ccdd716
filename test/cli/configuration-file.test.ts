import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FILE_LIMITS, parseConfiguration, readConfigurationFile } from '../../src/cli/configuration/read-file.ts';
import { CommandError } from '../../src/cli/options.ts';
import { COMPLETE } from '../support/complete-configuration.ts';

/** The problems of a file, a line each. */
async function problemsOf(text: string): Promise<string[]> {
  const error = await parseConfiguration('w.yaml', text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error === undefined) return [];
  expect(error).toBeInstanceOf(CommandError);
  return (error as Error).message.split('\n');
}

const nested = (depth: number) => `version: 1\nworkflows: ${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a configuration file', () => {
  it('is valid with every section', async () => expect(await problemsOf(COMPLETE)).toEqual([]));

  it.each([
    ['version: 2', ['w.yaml:1:1: version must be 1.']],
    ['version: 1\nworkflow: []', ['w.yaml:2:1: workflow is not a field. Did you mean workflows?']],
    [
      'version: 1\nworkflows:\n  - name: A\n    config:\n      instruction: Hi',
      ['w.yaml:5:7: workflows[0].config.instruction is not a field. Did you mean instructions?'],
    ],
    [
      'version: 1\nlimits: { colour: 1 }',
      [
        'w.yaml:2:11: limits.colour is not a field. Remove it, or use one of: requestsPerMinute, concurrentRuns, backgroundRuns, fileMegabytes.',
      ],
    ],
    ['version: 1\nworkflows:\n  - config: {}', ['w.yaml:3:5: workflows[0].name is required.']],
    [
      'version: 1\nworkflows:\n  - { name: A }\n  - { name: A }',
      ['w.yaml:4:7: workflows[1].name is used twice. An item is recognized by its name, so each needs its own.'],
    ],
    ['version: 1\nretention: { days: 0 }', ['w.yaml:2:14: retention.days must be a whole number from 1 to 3,650.']],
    ['version: 1\nversion: 1', ['w.yaml:2:1: Map keys must be unique']],
    ['version: 1\n\tlimits: {}', [expect.stringMatching(/^w\.yaml:2:1: Tabs are not allowed/)]],
    ['[]', ['w.yaml:1:1 must be an object.']],
    ['', ['w.yaml:1:1 is required.']],
    [
      'version: 1\napiKeys:\n  - { name: A, scopes: [resources:all] }',
      [expect.stringMatching(/^w\.yaml:3:25: apiKeys\[0\]\.scopes\[0\] must be one of resources:read,/)],
    ],
    [
      'version: 1\ndeployments:\n  - { name: A, workflow: B, kind: chat }\nworkflows: []',
      ['w.yaml:3:16: deployments[0].workflow is not the name of a workflow in this file. Add the workflow.'],
    ],
    [
      'version: 1\nworkflows:\n  - { name: B, versions: [{ name: old, config: {} }] }',
      [expect.stringMatching(/^w\.yaml:3:29: workflows\[0\]\.versions\[0\]\.name is run by no deployment\./)],
    ],
    [
      'version: 1\nworkflows:\n  - name: A\n    config: { outputSchema: { type: nonsense } }',
      [expect.stringMatching(/^w\.yaml:4:15: workflows\[0\]\.config\.outputSchema /)],
    ],
    [
      'version: 1\nintegrations:\n  - { name: A, kind: mcp, url: "https://a.example", headers: [{ name: X, value: secret }] }',
      [
        'w.yaml:3:74: integrations[0].headers[0].value is not a field. Remove it, or use one of: name, env.',
        'w.yaml:3:63: integrations[0].headers[0].env is required.',
      ],
    ],
  ])('names line, column, path and remedy: %j', async (text, problems) => {
    expect(await problemsOf(text)).toEqual(problems);
  });

  it('lists at most 20 problems', async () => {
    const lines = await problemsOf(
      `version: 1\n${Array.from({ length: 30 }, (_, index) => `x${index}: 1`).join('\n')}`,
    );
    expect(lines).toHaveLength(FILE_LIMITS.errors + 1);
    expect(lines.at(-1)).toBe('10 more problems. Correct these first.');
  });

  it('can use a few aliases, but not many, and no aliases that multiply', async () => {
    const config =
      'version: 1\nworkflows:\n  - { name: A, config: &c { instructions: Hi } }\n  - { name: B, config: *c }';
    expect(await problemsOf(config)).toEqual([]);
    const many = `version: 1\nlimits: &l {}\nx: [${'*l, '.repeat(FILE_LIMITS.aliases + 1)}]`;
    expect(await problemsOf(many)).toEqual([expect.stringMatching(/too many aliases: at most 50/)]);
    const levels = Array.from({ length: 9 }, (_, index) => `l${index + 1}: &l${index + 1} [*l${index}, *l${index}]`);
    const bomb = ['version: 1', 'l0: &l0 [a, a]', ...levels].join('\n');
    expect(await problemsOf(bomb)).toEqual([expect.stringMatching(/aliases that multiply: at most 50/)]);
  });

  it('has a limited depth and size', async () => {
    // The message names no place, because the file was not parsed.
    const unparsed = [`w.yaml: the file is nested too deeply: at most ${FILE_LIMITS.depth} levels.`];
    expect(await problemsOf(nested(FILE_LIMITS.depth + 2))).toEqual(unparsed);
    expect(await problemsOf(`version: 1\nx:\n${'- '.repeat(FILE_LIMITS.depth + 2)}`)).toEqual(unparsed);
    expect(await problemsOf(nested(FILE_LIMITS.bytes / 2 - 20))).toEqual([expect.stringMatching(/nested too deeply/)]);
    expect(await problemsOf(`version: 1\nx:\n${'- '.repeat(1_000_000)}`)).toEqual([
      expect.stringMatching(/too deeply/),
    ]);
    const indented = Array.from({ length: 2_000 }, (_, index) => `${' '.repeat(index)}a:`).join('\n');
    expect(await problemsOf(indented)).toEqual([expect.stringMatching(/too deeply/)]);
    // Brackets in texts are not nesting.
    expect(await problemsOf(`version: 1\nworkflows:\n  - name: "${'['.repeat(90)}"`)).toEqual([]);
    const folder = await mkdtemp(join(tmpdir(), 'parley-file-'));
    try {
      const path = join(folder, 'large.yaml');
      await writeFile(path, `version: 1\n#${' '.repeat(FILE_LIMITS.bytes)}`);
      await expect(readConfigurationFile(path)).rejects.toThrow(/is too large: at most 4 MiB/);
      await expect(readConfigurationFile(folder)).rejects.toThrow(/must be a file with UTF-8 text/);
      await expect(readConfigurationFile(join(folder, 'none'))).rejects.toThrow(/cannot be read \(ENOENT\)/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
