import { describe, expect, it } from 'vitest';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { filesOf } from '../support/imports.ts';
import { type Member, membersOf } from '../support/schema-members.ts';

const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');

/** Whether the description only repeats the name. */
function saysOnlyItsName({ name, description }: Member): boolean {
  return letters((description ?? '').replace(/^(the|an?|its|their|this)\s/i, '')) === letters(name);
}

/** The files of the schema that have the name of the member. */
function placesOf({ name }: Member): string {
  const files = filesOf('src/graphql/schema').filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text));
  return files.map(({ path }) => path).join(' or ');
}

const members = membersOf(internalSchema);

describe('the description', () => {
  it('exists for every type, field, argument, input field and enum value', () => {
    expect(members.length).toBeGreaterThan(800);
    const missing = members.filter(({ description }) => !description?.trim());
    expect(missing.map((member) => `${member.at} needs a description in ${placesOf(member)}`)).toEqual([]);
  });

  it('says more than the name', () => {
    expect(members.filter(saysOnlyItsName).map(({ at, description }) => `${at}: ${description}`)).toEqual([]);
  });
});
