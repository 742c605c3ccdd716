import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/contract/limits.ts';
import { expectGraphqlError } from '../support/error-bodies.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember, openSessionOf } from '../support/tenants.ts';

let service: TestService;
let ann: string;
let bob: string;
let annId: string;
beforeAll(async () => {
  service = await startService();
  annId = await makeMember(service, 'viewer');
  ann = await openSessionOf(service, annId);
  bob = await openSessionOf(service, await makeMember(service, 'viewer'));
});
afterAll(() => service.close());

const ERRORS = '... on Error { code message path }';
const CREATE = `mutation ($name: String!, $parameters: String!) {
  createSavedView(input: { name: $name, parameters: $parameters }) {
    __typename ... on CreateSavedViewPayload { savedView { id savedViewId name parameters } } ${ERRORS} } }`;
const UPDATE = `mutation ($input: UpdateSavedViewInput!) { updateSavedView(input: $input) {
  __typename ... on UpdateSavedViewPayload { savedView { name parameters } } ${ERRORS} } }`;
const DELETE = `mutation ($id: ID!) { deleteSavedView(input: { id: $id }) {
  __typename ... on DeleteSavedViewPayload { deletedId } ${ERRORS} } }`;

const create = async (name: string, parameters = 'status=failed', key = ann) =>
  (await service.graphql(CREATE, { name, parameters }, { key })).body.data.createSavedView;
const list = async (key: string, headers = {}) =>
  (await service.graphql('{ savedViews { name parameters } }', {}, { key, headers })).body.data.savedViews;

describe('saved views', () => {
  it('belong to one member and one environment', async () => {
    const { savedView } = await create('Failed', 'meta.tier=gold&status=failed');
    expect(await list(ann)).toEqual([{ name: 'Failed', parameters: 'meta.tier=gold&status=failed' }]);
    expect(await list(bob)).toEqual([]);
    expect(await list(ann, { 'x-environment': 'test' })).toEqual([]);
    const id = savedView.savedViewId;
    const foreign = [
      await service.graphql(UPDATE, { input: { id, name: 'Mine' } }, { key: bob }),
      await service.graphql(DELETE, { id }, { key: bob }),
    ];
    for (const { body } of foreign) expect(Object.values(body.data)[0]).toMatchObject({ code: 'NOT_FOUND' });
    const read = 'query ($id: ID!) { node(id: $id) { ... on SavedView { name } } }';
    expect((await service.graphql(read, { id: savedView.id }, { key: ann })).body.data.node).toEqual({
      name: 'Failed',
    });
    expect((await service.graphql(read, { id: savedView.id }, { key: bob })).body.data.node).toBeNull();
    expectGraphqlError(await service.graphql('{ savedViews { name } }'), 'session_required');
  });

  it('are renamed, changed and deleted, by global and public ID', async () => {
    const { savedView } = await create(' Slow ', 'order=cost.desc');
    expect(savedView.name).toBe('Slow');
    const renamed = await service.graphql(UPDATE, { input: { id: savedView.id, name: 'Slowest' } }, { key: ann });
    expect(renamed.body.data.updateSavedView.savedView).toEqual({ name: 'Slowest', parameters: 'order=cost.desc' });
    const input = { id: savedView.savedViewId, parameters: 'order=cost.asc' };
    const changed = await service.graphql(UPDATE, { input }, { key: ann });
    expect(changed.body.data.updateSavedView.savedView).toEqual({ name: 'Slowest', parameters: 'order=cost.asc' });
    const taken = await service.graphql(UPDATE, { input: { id: savedView.id, name: 'Failed' } }, { key: ann });
    expect(taken.body.data.updateSavedView).toMatchObject({ code: 'INVALID_REQUEST', path: ['name'] });
    const deleted = await service.graphql(DELETE, { id: savedView.id }, { key: ann });
    expect(deleted.body.data.deleteSavedView).toMatchObject({ deletedId: savedView.id });
    expect(await list(ann)).toHaveLength(1);
  });

  it.each([
    ['', 'a=b', 'name'],
    ['  ', 'a=b', 'name'],
    ['n'.repeat(LIMITS.viewNameLength + 1), 'a=b', 'name'],
    ['Failed', 'a=b', 'name'],
    ['Other', 'a'.repeat(LIMITS.viewParametersLength + 1), 'parameters'],
    ['Other', '?a=b', 'parameters'],
    ['Other', '"><script>', 'parameters'],
  ])('rejects the name %j with the parameters %j', async (name, parameters, field) => {
    expect(await create(name, parameters)).toMatchObject({ code: 'INVALID_REQUEST', path: [field] });
  });

  it('accepts the longest name and parameters, and at most the highest number of views', async () => {
    const longest = ['n'.repeat(LIMITS.viewNameLength), 'p'.repeat(LIMITS.viewParametersLength)] as const;
    expect((await create(...longest, bob)).savedView).toMatchObject({ name: longest[0], parameters: longest[1] });
    for (let count = 1; count < LIMITS.savedViews; count += 1) await create(`View ${count}`, '', bob);
    expect(await list(bob)).toHaveLength(LIMITS.savedViews);
    expect(await create('One more', '', bob)).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('are deleted with the membership', async () => {
    const { prisma } = service.service.services.stores;
    expect(await prisma.savedView.count({ where: { userId: annId } })).toBe(1);
    await prisma.membership.deleteMany({ where: { userId: annId } });
    expect(await prisma.savedView.count({ where: { userId: annId } })).toBe(0);
  });
});
