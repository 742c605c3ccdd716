import { AGENT, KEY, SHIPPED, startService, type Target } from '../bench/core/processes.ts';
import type { Site } from './kind.ts';
import type { Store } from './stores.ts';
import type { Witness } from './witness.ts';

const OWNER = { email: 'owner@example.com', password: 'a password of the measurement' };

/** The deployment of the other caller, with the demo agent. */
export const OTHER_DEPLOYMENT = AGENT;

/** Starts the built service with the provider and the mail server of the witness. */
export function startOn(store: Store, witness: Witness, redisUrl: string | undefined): Promise<Target> {
  const env = {
    DATABASE_URL: store.databaseUrl,
    FILES_DIR: store.filesDir,
    DEFAULT_MODEL: 'openai:any',
    OPENAI_API_KEY: 'a-key',
    OPENAI_BASE_URL: witness.providerUrl,
    SMTP_URL: witness.mailUrl,
    MAIL_FROM: 'parley@example.com',
    BOOTSTRAP_EMAIL: OWNER.email,
    BOOTSTRAP_PASSWORD: OWNER.password,
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
  };
  return startService(env, SHIPPED);
}

const DEPLOY = `mutation ($create: CreateDeploymentInput!) { createDeployment(input: $create) {
  ... on CreateDeploymentPayload { deployment { deploymentId } } ... on Error { message } } }`;
const PUBLISH = `mutation ($publish: PublishWorkflowInput!) { publishWorkflow(input: $publish) {
  ... on PublishWorkflowPayload { isNew } ... on Error { message } } }`;

/** Creates what strangers can find: a public deployment. Signs the owner in. */
export async function prepareSite({ url }: Target): Promise<Site> {
  const byKey = { 'x-api-key': KEY };
  const { data } = await post<{ data: { deployment: { workflow: { workflowId: number } } } }>(url, '/graphql', byKey, {
    query: `{ deployment(id: "${AGENT}") { workflow { workflowId } } }`,
  });
  const { workflowId } = data.deployment.workflow;
  const create = { workflowId, name: 'Public', kind: 'AGENT', authRequired: false, hostedPage: true };
  const created = await post<{ data: { createDeployment: { deployment: { deploymentId: string } } } }>(
    url,
    '/graphql',
    byKey,
    { query: DEPLOY, variables: { create } },
  );
  const publicId = created.data.createDeployment.deployment.deploymentId;
  await post(url, '/graphql', byKey, {
    query: PUBLISH,
    variables: { publish: { workflowId, deploymentIds: [publicId] } },
  });
  const session = await post<{ data: { token: string } }>(url, '/v1/sessions', {}, OWNER);
  return { publicId, key: KEY, email: OWNER.email, session: session.data.token };
}

async function post<T>(url: string, path: string, headers: Readonly<Record<string, string>>, body: object): Promise<T> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok || text.includes('"message"')) throw new Error(`POST ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}
