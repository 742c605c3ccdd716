import { describe, expect, it } from 'vitest';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { type Member, membersOf } from '../support/schema-members.ts';

const letters = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');

/** Whether the description only repeats the name. */
function saysOnlyItsName({ name, description }: Member): boolean {
  return letters((description ?? '').replace(/^(the|an?|its|their|this)\s/i, '')) === letters(name);
}

const members = membersOf(internalSchema);

describe('the description', () => {
  it('exists for every type, field, argument, input field and enum value', () => {
    expect(members.length).toBeGreaterThan(800);
    expect(members.filter(({ description }) => !description?.trim()).map(({ at }) => at)).toEqual([]);
  });

  it('says more than the name', () => {
    expect(members.filter(saysOnlyItsName).map(({ at, description }) => `${at}: ${description}`)).toEqual([]);
  });
});
