import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from 'graphql-sse';
import relay from 'relay-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';

const {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  getRequest,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
} = relay;

/** Documents of an application. The compiler reads the schema and generates the runtime artifacts. */
const SOURCE = `
  graphql\`
    query appResourcesQuery($first: Int!, $after: String) {
      ...app_resources @arguments(first: $first, after: $after)
    }
  \`;
  graphql\`
    fragment app_resources on Query
      @argumentDefinitions(first: { type: "Int!" }, after: { type: "String" })
      @refetchable(queryName: "appPageQuery") {
      resources(first: $first, after: $after) @connection(key: "app_resources") {
        edges { node { id resourceId type } }
      }
    }
  \`;
  graphql\`query appNodeQuery($id: ID!) { node(id: $id) { id ... on Resource { resourceId type } } }\`;
  graphql\`mutation appCreateMutation($input: CreateResourceInput!) { createResource(input: $input) { ... on CreateResourcePayload { resource { id resourceId } } ... on Error { code message path } } }\`;
  graphql\`subscription appFeedSubscription { eventAppended { event { id resourceId } } }\`;
`;

const CONFIG = {
  src: './src',
  schema: './schema.graphql',
  language: 'javascript',
  eagerEsModules: true,
  artifactDirectory: './artifacts',
};

type Artifact = Parameters<typeof getRequest>[0];

let service: TestService;
let project: string;
let output: string;
beforeAll(async () => {
  service = await startService();
  project = await mkdtemp(join(tmpdir(), 'parley-relay-'));
  await Promise.all([mkdir(join(project, 'src')), mkdir(join(project, 'artifacts'))]);
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(project, 'relay.config.json'), JSON.stringify(CONFIG));
  await writeFile(join(project, 'src/app.js'), SOURCE);
  await copyFile(join(ROOT, 'schema/schema.graphql'), join(project, 'schema.graphql'));
  const compiler = join(ROOT, 'node_modules/relay-compiler/cli.js');
  const run = await promisify(execFile)(process.execPath, [compiler, 'relay.config.json'], { cwd: project });
  output = run.stdout + run.stderr;
});
afterAll(async () => {
  await service.close();
  await rm(project, { recursive: true });
});

const artifact = async (name: string): Promise<Artifact> =>
  (await import(join(project, `artifacts/${name}.graphql.js`))).default;

function environment() {
  const headers = { authorization: `Bearer ${service.keys.live}` };
  const events = createClient({ url: `${service.url}/graphql`, headers, retryAttempts: 0 });
  const network = Network.create(
    async ({ text }, variables) => (await service.graphql(text ?? '', variables)).body,
    ({ text }, variables) =>
      Observable.create((sink) => events.subscribe({ query: text ?? '', variables }, sink as never)),
  );
  return new Environment({ network, store: new Store(new RecordSource()) });
}

const opened = async () => /^parley_subscriptions 1$/m.test((await service.send('GET', '/metrics')).body);

describe('Relay', () => {
  it('compiles documents against the schema', () => {
    expect(output).toMatch(/6 (reader|normalization|operation)|Compilation completed|\[INFO\]/i);
    expect(output).not.toMatch(/error|✖/i);
  });

  it('mutates, receives a subscription event, and reads the node again by its global ID', async () => {
    const own = environment();
    const feed = await artifact('appFeedSubscription');
    const results: unknown[] = [];
    const subscription = requestSubscription(own, {
      subscription: feed,
      variables: {},
      onNext: (data) =>
        results.push((data as { eventAppended: { event: { resourceId: string } } }).eventAppended.event.resourceId),
    });
    await until(opened);
    const mutation = await artifact('appCreateMutation');
    const created = await new Promise<{ id: string; resourceId: string }>((resolve, reject) => {
      commitMutation(own, {
        mutation,
        variables: { input: { type: 'thing', fields: {} } },
        onCompleted: (data, errors) =>
          errors?.length
            ? reject(errors[0])
            : resolve(
                (data as { createResource: { resource: { id: string; resourceId: string } } }).createResource.resource,
              ),
        onError: reject,
      });
    });
    await until(async () => results.includes(created.resourceId));
    subscription.dispose();
    const node = await fetchQuery(own, await artifact('appNodeQuery'), { id: created.id }).toPromise();
    expect(node).toEqual({ node: { id: created.id, resourceId: created.resourceId, type: 'thing' } });
  });

  it('pages through a connection and collects it in one list', async () => {
    for (let index = 0; index < 5; index += 1) {
      await service.send('POST', '/v1/resources', { body: { type: 'page', fields: { index } } });
    }
    const own = environment();
    const first = await artifact('appResourcesQuery');
    const page = await artifact('appPageQuery');
    await fetchQuery(own, first, { first: 2 }).toPromise();
    const list = () => {
      const record = own.getStore().getSource().get('client:root:__app_resources_connection') as Record<
        string,
        unknown
      >;
      const info = own
        .getStore()
        .getSource()
        .get((record.pageInfo as { __ref: string }).__ref) as Record<string, unknown>;
      return { edges: (record.edges as { __refs: string[] }).__refs, info };
    };
    expect(list().edges).toHaveLength(2);
    while (list().info.hasNextPage) {
      const variables = { first: 2, after: list().info.endCursor };
      own.retain(createOperationDescriptor(getRequest(page), variables));
      await fetchQuery(own, page, variables).toPromise();
    }
    const { body } = await service.graphql('{ resources(first: 100) { totalCount } }');
    expect(list().edges).toHaveLength(body.data.resources.totalCount);
    expect(new Set(list().edges).size).toBe(list().edges.length);
  });
});
