import { GraphQLObjectType, GraphQLSchema, graphql } from 'graphql';
import { describe, expect, it } from 'vitest';
import { internalSchema } from '../../src/graphql/schema/schema.ts';

const Conversation = internalSchema.getType('Conversation') as GraphQLObjectType;

/** Resolves fields of a row, and returns them with the number of rows that Prisma's client has read. */
async function resolve(row: object, stored: object) {
  let reads = 0;
  const findUniqueOrThrow = async () => {
    reads += 1;
    return stored;
  };
  const fields = { conversation: { type: Conversation, resolve: () => row } };
  const { data, errors } = await graphql({
    schema: new GraphQLSchema({ query: new GraphQLObjectType({ name: 'Query', fields }) }),
    source: '{ conversation { endUser meta latestRun { status } } }',
    contextValue: {
      domain: {
        environment: { id: '00000000-0000-4000-8000-000000000001' },
        db: { conversation: { findUniqueOrThrow } },
      },
    },
  });
  expect(errors).toBeUndefined();
  return { conversation: data?.conversation, reads };
}

const stored = {
  id: '00000000-0000-4000-8000-000000000009',
  endUser: null,
  meta: { tier: 'gold' },
  latestRun: { agent: true, status: 'completed' },
};
const result = { endUser: null, meta: { tier: 'gold' }, latestRun: { status: 'completed' } };

describe('the fields of a conversation', () => {
  it('read a complete row without Prisma', async () => {
    expect(await resolve(stored, {})).toEqual({ conversation: result, reads: 0 });
  });

  it.each(['endUser', 'meta', 'latestRun'])('load a row that lacks %s', async (name) => {
    const { [name as 'meta']: _, ...row } = stored;
    expect(await resolve(row, stored)).toEqual({ conversation: result, reads: 1 });
  });
});
