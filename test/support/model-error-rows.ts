import { useUp } from './budgets.ts';
import { graphText } from './graph-content.ts';
import type { TestService } from './service.ts';
import { makeDeployment } from './tenants.ts';
import type { Provocation, Provoke } from './turn-error-rows.ts';

/** A message to a deployment of the demo model, whose time limit is one second. */
type Send = (deploymentId: string, text: string) => Provocation;

const message =
  (path: (deploymentId: string) => string): Send =>
  (deploymentId, text) => ({
    input: { deploymentId, content: graphText(text) },
    rest: { method: 'POST', path: path(deploymentId), body: { content: [{ type: 'text', text }] } },
  });

const SENDS: Readonly<Record<string, Send>> = {
  sendMessage: message((id) => `/v1/runner/${id}/conversation`),
  runAgentTurn: message((id) => `/v2/runner/${id}/conversation`),
  runOnce: message((id) => `/v1/runner/${id}`),
};

const TEXTS = { model_error: '/fail', model_timeout: '/slow 3\n/say Done' } as const;

const hasty = (service: TestService) => makeDeployment(service, { timeoutSeconds: 1 }, { kind: 'agent' });

/** Requests for the errors of budgets. */
const BUDGET_ROWS: Readonly<Record<string, Provoke>> = {
  ...Object.fromEntries(
    Object.entries(SENDS).map(([name, send]): [string, Provoke] => [
      `${name} budget_reached`,
      async (service) => {
        const { id } = await hasty(service);
        await useUp(service, `deployment:${id}`);
        return send(id, 'Hello');
      },
    ]),
  ),
  // A draft counts for its environment. No other request is about this one.
  'testDraft budget_reached': async (service) => {
    const { workflowId } = await hasty(service);
    await useUp(service, 'environment', 'test');
    return { input: { workflowId, content: graphText('Hello') }, key: service.keys.test };
  },
  'testModel budget_reached': async (service) => {
    await useUp(service, 'environment', 'test');
    return { input: { model: 'demo' }, key: service.keys.test };
  },
};

/** Requests for the errors of models and budgets. */
export const MODEL_ERROR_ROWS: Readonly<Record<string, Provoke>> = Object.fromEntries([
  ...Object.entries(BUDGET_ROWS),
  ...Object.entries(TEXTS).flatMap(([code, text]): [string, Provoke][] => [
    ...Object.entries(SENDS).map(([name, send]): [string, Provoke] => [
      `${name} ${code}`,
      async (service) => send((await hasty(service)).id, text),
    ]),
    [
      `testDraft ${code}`,
      async (service) => ({ input: { workflowId: (await hasty(service)).workflowId, content: graphText(text) } }),
    ],
  ]),
]);
