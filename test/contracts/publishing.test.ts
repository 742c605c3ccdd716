import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/contract/scopes.ts';
import { internalSchema } from '../../src/graphql/schema/schema.ts';
import { accessOf } from '../../src/operation/access.ts';
import { EFFECTS, publishingOf } from '../../src/operation/publishing.ts';

const QUERIES = Object.values(internalSchema.getQueryType()?.getFields() ?? {});
const MUTATIONS = Object.values(internalSchema.getMutationType()?.getFields() ?? {});

/** Scopes of credentials. */
const CREDENTIALS: readonly Scope[] = ['keys:manage', 'end_users:manage'];

describe('the mark `publishing` of a root field', () => {
  it('is set on every query and mutation', () => {
    const unmarked = [...QUERIES, ...MUTATIONS].filter(({ extensions }) => extensions.publishing === undefined);
    expect(unmarked.map(({ name }) => `${name} needs publishing, in src/graphql/schema`)).toEqual([]);
  });

  it('says that queries only read, and that mutations do more', () => {
    const open = (fields: typeof QUERIES) => fields.filter((field) => publishingOf(field) !== 'never');
    expect(open(QUERIES).filter((field) => publishingOf(field) !== 'reads')).toEqual([]);
    expect(open(MUTATIONS).filter((field) => publishingOf(field) === 'reads')).toEqual([]);
    for (const field of open(MUTATIONS)) expect(Object.keys(EFFECTS)).toContain(publishingOf(field));
  });

  it('is `never` for fields of administrators, sessions and credentials, and for public mutations', () => {
    const closed = [...QUERIES, ...MUTATIONS].filter((field) => {
      const { session, administrator, scope, scopes = [] } = accessOf(field);
      const isCredential = CREDENTIALS.some((each) => each === scope || scopes.includes(each));
      const isPublic = MUTATIONS.includes(field) && Object.keys(accessOf(field)).length === 0;
      return session || administrator || isCredential || isPublic;
    });
    expect(closed.length).toBeGreaterThan(30);
    expect(closed.filter((field) => publishingOf(field) !== 'never').map(({ name }) => name)).toEqual([]);
  });
});
