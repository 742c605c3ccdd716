import { type DocumentNode, type ExecutionArgs, GraphQLObjectType, GraphQLSchema, GraphQLString, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { publicSchema } from '../../src/graphql/schema/schema.ts';
import { mask } from '../../src/operation/mask.ts';
import { SharedExecutions } from '../../src/operation/shared-executions.ts';

const describeError = (error: unknown) => mask(error, { log: { error() {} } as never, requestId: '1' });

const contextValue = {
  caller: { kind: 'api_key', id: 'key', tokenHash: 'hash', scopes: [], deploymentIds: null },
  callsOfRun: { clearAll() {} },
};

function join(executions: SharedExecutions, schema: GraphQLSchema, document: DocumentNode) {
  return executions.join({ schema, document, contextValue } as unknown as ExecutionArgs, true, describeError);
}

/** A schema whose only field has this resolver. */
function schemaOf(resolve: (event: { cursor: string }) => unknown): GraphQLSchema {
  const field = { type: GraphQLString, resolve };
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { at: field } }),
    subscription: new GraphQLObjectType({ name: 'Subscription', fields: { at: field } }),
  });
}

const AT = parse('subscription { at }');

describe('an execution that feeds share', () => {
  it('has the result of an event of the log at once', () => {
    const document = parse(
      'subscription { eventAppended { cursor event { id eventId type payload { json } occurredAt } } }',
    );
    const event = { id: 'evt_1', type: 'resource.created', resourceId: 'res_1', payload: {}, occurredAt: new Date(0) };
    const item = join(new SharedExecutions(), publicSchema, document).run({ cursor: 'c', event });
    expect(item).toMatchObject({ cursor: 'c', result: { data: { eventAppended: { cursor: 'c' } } } });
  });

  it.each([
    ['synchronous', (event: { cursor: string }) => event.cursor],
    ['asynchronous', async (event: { cursor: string }) => event.cursor],
  ])('executes an event once for all subscribers: %s resolver', async (_name, cursor) => {
    let calls = 0;
    const schema = schemaOf((event) => {
      calls += 1;
      return cursor(event);
    });
    const executions = new SharedExecutions();
    const [one, other] = [join(executions, schema, AT), join(executions, schema, AT)];
    const [first, second] = [{ cursor: '1' }, { cursor: '2' }];
    const items = await Promise.all([one.run(first), other.run(first), other.run(second)]);
    const again = one.run(first);
    expect(again).toBe(items[0]);
    expect(items[1]).toBe(items[0]);
    expect(items.map(({ result }) => result.data?.at)).toEqual(['1', '1', '2']);
    expect(calls).toBe(2);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('secret');
      },
    ],
  ])('masks the error of a resolver that %s', async (_name, fail) => {
    const { result, cursor } = await join(new SharedExecutions(), schemaOf(fail), AT).run({ cursor: '1' });
    expect(cursor).toBe('1');
    expect(result.errors?.map(({ message }) => message)).not.toContain('secret');
    expect(result.errors).toHaveLength(1);
  });
});
