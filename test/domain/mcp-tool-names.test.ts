import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { TOOL_NAME_PATTERN } from '../../src/contract/tool-names.ts';
import { modelNames } from '../../src/domain/actions/mcp-tool-names.ts';

const PREFIX = 'crm_';

const suffixOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 6);

/** The names for the model, and that they are what every provider accepts, whatever the order of the list. */
function namesOf(...names: readonly string[]): Record<string, string> {
  const byName = modelNames(PREFIX, names);
  const distinct = [...new Set(names)];
  expect([...byName.keys()].sort()).toEqual(distinct.toSorted());
  expect(new Set(byName.values()).size).toBe(distinct.length);
  for (const name of byName.values()) expect(name).toMatch(TOOL_NAME_PATTERN);
  for (let shift = 0; shift <= names.length; shift += 1) {
    const rotated = [...names.slice(shift), ...names.slice(0, shift)];
    for (const list of [rotated, rotated.toReversed()])
      expect(Object.fromEntries(modelNames(PREFIX, list))).toEqual(Object.fromEntries(byName));
  }
  return Object.fromEntries(byName);
}

describe('the names of the tools of an MCP server for the model', () => {
  it('have the prefix of the server, and no special characters', () => {
    expect(namesOf('read', 'a.b', 'x/y z')).toEqual({ read: 'crm_read', 'a.b': 'crm_a_b', 'x/y z': 'crm_x_y_z' });
  });

  it.each([
    ['two', ['a.b', 'a:b']],
    ['three', ['a.b', 'a:b', 'a/b']],
    ['names of another script', ['删除', '读取', '天气']],
  ])('get a suffix if %s would be the same', (_number, names) => {
    const plain = names[0]?.replaceAll(/[^\w-]/g, '_');
    expect(namesOf(...names)).toEqual(
      Object.fromEntries(names.map((name) => [name, `${PREFIX}${plain}_${suffixOf(name)}`])),
    );
  });

  it('get no suffix without special characters', () => {
    expect(namesOf('a.b', 'a:b', 'a_b')).toMatchObject({ a_b: 'crm_a_b', 'a.b': `crm_a_b_${suffixOf('a.b')}` });
  });

  it('get no suffix because the server lists a tool twice', () => {
    expect(namesOf('a.b', 'a.b')).toEqual({ 'a.b': 'crm_a_b' });
  });

  it('get another suffix if a tool has the name with the suffix', () => {
    const real = `a_b_${suffixOf('a.b')}`;
    const names = namesOf('a.b', 'a:b', real);
    expect(names[real]).toBe(`crm_${real}`);
    expect(names['a.b']).toMatch(/^crm_a_b_[\da-f]{6}$/);
    const special = `a.b.${suffixOf('a.b')}`;
    expect(namesOf('a.b', 'a:b', special)[special]).toBe(`crm_a_b_${suffixOf('a.b')}`);
  });

  it('get another suffix if two names have the same one', () => {
    const [one, other] = ['a;.;.:b', 'a..;/:b'];
    expect(suffixOf(one)).toBe(suffixOf(other));
    expect(Object.values(namesOf(one, other))).toContain(`crm_a_____b_${suffixOf(one)}`);
  });

  it('get a suffix in place of their end if they are too long', () => {
    const longest = 'n'.repeat(LIMITS.toolNameLength - PREFIX.length);
    const [one, other] = [`${longest}1`, `${longest}2`];
    const names = namesOf(longest, one, other);
    expect(names[longest]).toBe(`${PREFIX}${longest}`);
    expect(names[one]).toBe(`${PREFIX}${longest.slice(0, -7)}_${suffixOf(one)}`);
    const almost = `${longest.slice(0, -3)}`;
    expect(namesOf(`${almost}.b`, `${almost}:b`)[`${almost}.b`]).toHaveLength(LIMITS.toolNameLength);
  });
});
