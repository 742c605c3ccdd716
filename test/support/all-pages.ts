import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from './actions.ts';
import { plantConversations, plantUsage } from './dashboard-data.ts';
import { ROOT } from './database.ts';
import { publish } from './documents.ts';
import { invite, inviteToken } from './members.ts';
import { DEMO_AGENT_ID, DEMO_CHAT_ID, type TestService } from './service.ts';
import { makeShop } from './shop-workflow.ts';
import { openSession } from './tenants.ts';
import { createTrigger } from './triggers.ts';
import { makeEndpoint, makeEvent, settledDeliveries } from './webhooks.ts';

/** The routes of the dashboard, like `/workflows/:workflowId`. */
const DASHBOARD_ROUTES: readonly string[] = [
  ...readFileSync(join(ROOT, 'src/web/dashboard/shell/pages.ts'), 'utf8').matchAll(/path: '([^']+)'/g),
].map(([, path = '']) => path);

/** Sections of the workflow editor. */
const SECTIONS: readonly string[] = [
  ...readFileSync(join(ROOT, 'src/web/dashboard/workflows/draft/sections.ts'), 'utf8').matchAll(/\{ name: '(\w+)'/g),
].map(([, name = '']) => name);

/** The views of a page that differ by its query. The first one is the page without a query. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  '/workflows/:workflowId': [
    '',
    ...SECTIONS.slice(1).map((name) => `?section=${name}`),
    ...['playground', 'publish', 'versions'].map((tab) => `?tab=${tab}`),
  ],
  '/documents/:documentId': ['', ...['use', 'calls', 'versions'].map((tab) => `?tab=${tab}`)],
};

/** Pages outside the dashboard, and the dashboard's own before the sign-in. */
export const OTHER_PAGES = ['/', '/chat/:demo', '/agent/:demo', '/chat/:nobody'];

export const ENTRY_PAGES = ['/dashboard', '/dashboard/invitation'];

/** Every page of the dashboard, with the parameters of its route as names. */
export const DASHBOARD_PAGES = DASHBOARD_ROUTES.flatMap((route) =>
  (QUERIES[route] ?? ['']).map((query) => `/dashboard${route === '/' ? '' : route}${query}`),
);

/** Turns a page into the address of one that has data. */
export type AddressOf = (page: string) => string;

/** Fills a service with data, so that no page is empty. `url` receives the webhooks. */
export async function fillPages(service: TestService, url: string): Promise<AddressOf> {
  const { prisma } = service.service.services.stores;
  await plantConversations(service, 8);
  await plantUsage(service, 30);
  await connect(service, { kind: 'http', name: 'Shop', url });
  const { workflowId, site } = await makeShop(service);
  await createTrigger(service, {});
  const { documentId } = await publishUsed(service);
  const session = await openSession(service, 'owner');
  const token = await inviteToken(service, session, 'ann@example.com', 'developer');
  await invite(service, session, 'ben@example.com');
  const questions = [{ id: 'topic', question: 'What is it about?', input_type: 'short_text' }];
  await service.agentTurn(`/call ask_user ${JSON.stringify({ questions })}`);
  // Last, so that no other event is delivered while a page is measured.
  const endpoint = await makeEndpoint(service, url);
  const resourceId = await makeEvent(service, { name: 'Ann', plan: 'gold', seats: 4 });
  await settledDeliveries(service, endpoint.id, 1);
  const run = await prisma.run.findFirstOrThrow({ where: { status: 'completed' }, orderBy: { createdAt: 'asc' } });
  const parameters: Readonly<Record<string, string | number>> = {
    conversationId: run.conversationId,
    runId: run.id,
    workflowId,
    deploymentId: site,
    resourceId,
    endpointId: endpoint.id,
    documentId,
  };
  const others: Readonly<Record<string, string>> = {
    '/chat/:demo': `/chat/${DEMO_CHAT_ID}`,
    '/chat/:nobody': '/chat/00000000-0000-4000-8000-0000000000ff',
    '/agent/:demo': `/agent/${DEMO_AGENT_ID}`,
    '/dashboard/invitation': `/dashboard/invitation#token=${token}`,
  };
  return (page) =>
    others[page] ??
    page.replace(/:(\w+)/g, (_all, name: string) => {
      const value = parameters[name];
      if (value === undefined) throw new Error(`fillPages has no ${name}.`);
      return String(value);
    });
}

/** A document with two versions and a call. */
async function publishUsed(service: TestService) {
  const text =
    'query ($type: String!) @rest(get: "/v1/x/order_count/{type}") { resources(filter: { type: $type }) { totalCount } }';
  await publish(service, 'order_count', text);
  await service.send('GET', '/v1/x/order_count/order');
  await service.service.services.stores.documentCalls.flush();
  return publish(service, 'order_count', `"Counts resources of a type." ${text}`);
}
