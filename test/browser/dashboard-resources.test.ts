import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectQuiet, screenshot } from '../support/browser.ts';
import { signedIn } from '../support/dashboard.ts';
import { startService, type TestService } from '../support/service.ts';
import { makeMember } from '../support/tenants.ts';
import { launchBrowser } from '../support/visit.ts';

let service: TestService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
});
afterAll(async () => {
  await service?.close();
});

const ANN = {
  name: 'Ann Clarke',
  email: 'ann.clarke@example.com',
  plan: 'reader',
  orders: 3,
  address: { street: '12 Harbour Street', city: 'Bristol' },
};

const create = async (type: string, fields: object): Promise<string> => {
  const { body } = await service.graphql(
    'mutation ($input: CreateResourceInput!) { createResource(input: $input) { __typename ... on CreateResourcePayload { resource { resourceId } } ... on Error { code message path } } }',
    { input: { type, fields } },
  );
  return body.data.createResource.resource.resourceId;
};

const fieldsOf = async (id: string) => {
  const { body } = await service.graphql('query ($id: ID!) { resource(id: $id) { fields } }', { id });
  return body.data.resource?.fields;
};

const update = (id: string, fields: object) =>
  service.graphql(
    'mutation ($input: UpdateResourceInput!) { updateResource(input: $input) { __typename ... on UpdateResourcePayload { resource { etag } } ... on Error { code message path } } }',
    { input: { id, fields } },
  );

/** Changes a resource without an event, so the page learns of it only from a rejected request. */
const changeSilently = (id: string, fields: object) =>
  service.service.services.stores.prisma.resource.updateMany({
    where: { id },
    data: { fields, updatedAt: new Date() },
  });

const openResource = (id: string) => signedIn(browser, service, `/dashboard/resources/${id}`);

describe('the list of resources', () => {
  it('keeps the filters by type and by field value in the URL', async () => {
    const ann = await create('contact', ANN);
    const bob = await create('contact', { ...ANN, name: 'Bob Marsh', email: 'bob@example.com', orders: 0 });
    const order = await create('order', { number: '10023', total: 24.5, lines: ['The Waves', 'To the Lighthouse'] });
    const window = await signedIn(browser, service, '/dashboard/resources');
    const { page } = window;
    const row = (id: string) => page.getByRole('row', { name: new RegExp(id) });
    await row(order).waitFor();
    await expectAccessible(page);
    await screenshot(page, 'resources');
    await page.getByLabel('Type').fill('contact');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL('**?type=contact');
    await row(order).waitFor({ state: 'hidden' });
    await page.getByLabel('Field', { exact: true }).fill('name');
    await page.getByLabel('Value as JSON').fill('Ann Clarke');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('Put text in quotes').waitFor();
    await page.getByLabel('Value as JSON').fill('"Ann Clarke"');
    await page.getByRole('button', { name: 'Filter' }).click();
    await row(bob).waitFor({ state: 'hidden' });
    await page.reload();
    await row(ann).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await expect.poll(() => page.getByLabel('Value as JSON').inputValue()).toBe('"Ann Clarke"');
    await page.getByRole('button', { name: 'Show all' }).click();
    await row(order).waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('creates a resource when its fields are valid', async () => {
    const window = await signedIn(browser, service, '/dashboard/resources');
    const { page } = window;
    await page.getByRole('button', { name: 'New resource' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type').fill('Contact');
    await dialog.getByLabel('Fields').fill('{"name":');
    await dialog.getByText('This is not valid JSON').waitFor();
    await expect.poll(() => dialog.getByRole('button', { name: 'Create', exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel('Fields').fill('{"name":"Ann"}');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await expect.poll(() => dialog.getByLabel('Type').getAttribute('aria-invalid')).toBe('true');
    await expectAccessible(page);
    await dialog.getByLabel('Type').fill('contact');
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL('**/dashboard/resources/res_*');
    expect(await fieldsOf(page.url().split('/').at(-1) ?? '')).toEqual({ name: 'Ann' });
    expectQuiet(window);
    await window.close();
  });
});

describe('a resource', () => {
  it('saves only the changed fields', async () => {
    const id = await create('contact', ANN);
    const window = await openResource(id);
    const { page } = window;
    const fields = page.getByLabel('Fields as JSON');
    await page.getByText('resource.created').waitFor();
    await expectAccessible(page);
    await screenshot(page, 'resource');
    await fields.fill('{"name": "Ann Clarke"}');
    await page.getByText(/^Fields cannot be removed. Set them to null: /).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Save fields' }).isDisabled()).toBe(true);
    await fields.fill(JSON.stringify({ ...ANN, plan: null, points: 12 }));
    await page.getByRole('button', { name: 'Save fields' }).click();
    await page.getByText('All changes saved').waitFor();
    expect(await fieldsOf(id)).toEqual({ ...ANN, plan: null, points: 12 });
    await page.getByText('resource.updated').waitFor();
    const link = page.getByRole('link', { name: 'All events' });
    expect(await link.getAttribute('href')).toBe(`/dashboard/events?resource=${id}`);
    expectQuiet(window);
    await window.close();
  });

  it('asks before it overwrites a change by somebody else', async () => {
    const id = await create('contact', ANN);
    const window = await openResource(id);
    const { page } = window;
    const fields = page.getByLabel('Fields as JSON');
    await fields.fill(JSON.stringify({ ...ANN, plan: 'collector' }));
    await changeSilently(id, { ...ANN, orders: 4, plan: 'student' });
    await page.getByRole('button', { name: 'Save fields' }).click();
    await page
      .getByText('Changed since then: plan, orders.')
      .or(page.getByText('Changed since then: orders, plan.'))
      .waitFor();
    expect(await fieldsOf(id)).toMatchObject({ plan: 'student', orders: 4 });
    await expectAccessible(page);
    await screenshot(page, 'resource-conflict');
    await page.getByRole('button', { name: 'Overwrite with mine' }).click();
    await page.getByText('All changes saved').waitFor();
    expect(await fieldsOf(id)).toEqual({ ...ANN, plan: 'collector', orders: 4 });
    await fields.fill(JSON.stringify({ ...ANN, plan: 'mine' }));
    // An event announces this change, so the conflict appears before the user saves.
    await update(id, { plan: 'theirs' });
    await page.getByRole('button', { name: 'Load their changes' }).click();
    await expect.poll(() => fields.inputValue()).toContain('"theirs"');
    await page.getByText('All changes saved').waitFor();
    expectQuiet(window);
    await window.close();
  });

  it('is deleted after a confirmation', async () => {
    const id = await create('contact', { name: 'Gone' });
    const window = await openResource(id);
    const { page } = window;
    await page.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await fieldsOf(id)).toEqual({ name: 'Gone' });
    await page.getByRole('button', { name: 'Delete' }).click();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Delete permanently' }).click();
    await page.waitForURL('**/dashboard/resources?type=contact');
    expect(await fieldsOf(id)).toBeUndefined();
    expectQuiet(window);
    await window.close();
  });

  it('is read-only for a viewer', async () => {
    const id = await create('contact', ANN);
    const as = { email: 'viewer@example.com', password: 'a password of a viewer' };
    await makeMember(service, 'viewer', as);
    const window = await signedIn(browser, service, `/dashboard/resources/${id}`, { as });
    const { page } = window;
    await page.getByText('Your role allows you to view').waitFor();
    await expect.poll(() => page.getByLabel('Fields as JSON').isDisabled()).toBe(true);
    for (const name of ['Delete', 'Save fields']) expect(await page.getByRole('button', { name }).count()).toBe(0);
    await expectAccessible(page);
    expectQuiet(window);
    await window.close();
  });
});
