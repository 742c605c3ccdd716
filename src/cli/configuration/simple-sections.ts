import { z } from 'zod';
import { SCOPES } from '../../contract/scopes.ts';
import { EVENT_TYPES } from '../../contract/statuses.ts';
import { parseInput } from '../../domain/input.ts';
import { SET_MODEL_PRICE } from '../../shapes/environment.ts';
import { rulesOf } from '../../shapes/field.ts';
import { CONNECT_INTEGRATION } from '../../shapes/integrations.ts';
import { CommandError } from '../options.ts';
import { configurationFile, type FileIntegration, type FileWebhook } from './file-schema.ts';
import { type ApplyContext, type CurrentItem, compact, type FileItem } from './item.ts';
import { fromGraphql, toGraphql } from './schema-walk.ts';
import type { Section } from './section.ts';

const { integrations, webhooks } = configurationFile.shape;

type IntegrationNode = Pick<FileIntegration, 'name' | 'kind' | 'url' | 'trustsHints'> & {
  readonly integrationId: string;
  readonly connected: boolean;
  readonly headerNames: readonly string[];
};

interface IntegrationItem extends FileItem {
  readonly integration: FileIntegration;
}

const integrationValue = (
  { name, kind, url, trustsHints }: Omit<FileIntegration, 'headers'>,
  headers: readonly string[],
) =>
  compact(
    { name, kind, url, headers: headers.map((header) => ({ name: header })), trustsHints: trustsHints ?? false },
    { headers: [], trustsHints: false },
  );

export const INTEGRATIONS: Section = {
  name: 'integrations',
  noun: 'integration',
  fixed: { fields: ['kind'], hint: 'Give the integration another name.' },
  async read(api) {
    const fields = '{ integrationId name kind url connected headerNames trustsHints }';
    const nodes = await api.all<IntegrationNode>('integrations', fields, 100);
    return nodes.flatMap((node) => {
      if (!node.connected) return [];
      const [integration] = fromGraphql(integrations, [node]) as [FileIntegration];
      const value = integrationValue(integration, node.headerNames);
      return [{ key: node.name, id: node.integrationId, value }];
    });
  },
  items: ({ integrations: list = [] }) =>
    list.map((integration, index): IntegrationItem => {
      const names = integration.headers.map(({ name }) => name);
      const path = ['integrations', index];
      return { key: integration.name, value: integrationValue(integration, names), path, integration };
    }),
  put(item, current) {
    const { integration } = item as IntegrationItem;
    const { name, url } = integration;
    const trustsHints = integration.trustsHints ?? false;
    const variables = integration.headers.map(({ env }, index) => ({
      name: env,
      path: [...item.path, 'headers', index, 'env'],
    }));
    return {
      variables,
      async run(context) {
        const headers = headerValues(context, integration);
        if (current) {
          const input = { id: current.id, name, url, headers, trustsHints };
          await context.api.mutate('updateIntegration', input, '{ __typename }');
        } else {
          const [sent] = toGraphql(integrations, [integration]) as [Pick<IntegrationNode, 'kind'>];
          const input = { kind: sent.kind, name, url, headers, trustsHints };
          await context.api.mutate('connectIntegration', input, '{ __typename }');
        }
      },
    };
  },
  mustSend: (item, { sendSecrets }) => sendSecrets && (item as IntegrationItem).integration.headers.length > 0,
  removal: {
    verb: 'disconnected permanently, with its header values',
    run: (api, { id }) => api.mutate('disconnectIntegration', { id }, '{ __typename }'),
  },
  async exported({ value, key }) {
    const headers = (value.headers ?? []) as readonly { readonly name: string }[];
    if (headers.length === 0) return value;
    return { ...value, headers: headers.map(({ name }) => ({ name, env: variableOf(key, name) })) };
  },
};

/** The name of a variable for the value of a header: `crm`, `X-Api-Key` → `CRM_X_API_KEY`. */
function variableOf(integration: string, header: string): string {
  const name = `${integration}_${header}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return (/^[A-Z_]/.test(name) ? name : `_${name}`).slice(0, 100);
}

const headerList = z.object(rulesOf({ headers: CONNECT_INTEGRATION.fields.headers }));

/** @throws {CommandError} if a value is not valid. Its message does not contain the value. */
function headerValues({ secret }: Pick<ApplyContext, 'secret'>, { name, headers }: FileIntegration) {
  const values = headers.map((header) => ({ name: header.name, value: secret(header.env) }));
  try {
    parseInput(headerList, { headers: values });
  } catch (error) {
    const text = (error as Error).message.replace('{param}', 'A header or the value of its variable');
    throw new CommandError(`Integration "${name}": ${text} Variables: ${headers.map(({ env }) => env).join(', ')}.`);
  }
  return values;
}

/** Checks the values of the variables, before the first change. @throws {CommandError} */
export function checkHeaderValues(item: FileItem, secret: ApplyContext['secret']): void {
  headerValues({ secret }, (item as IntegrationItem).integration);
}

export const DOCUMENTS: Section = {
  name: 'documents',
  noun: 'document',
  async read(api) {
    type Node = { documentId: string; name: string; version: number; current: { text: string } | null };
    const nodes = await api.all<Node>('documents', '{ documentId name version current { text } }', 50);
    return nodes.map(({ documentId, name, version, current }) => {
      return { key: name, id: documentId, value: { name, text: current?.text }, version };
    });
  },
  items: ({ documents = [] }) =>
    documents.map((value, index) => ({ key: value.name, value, path: ['documents', index] })),
  put({ value }, current) {
    const ifVersion = (current as (CurrentItem & { readonly version: number }) | undefined)?.version ?? 0;
    return {
      run: async ({ api, allowBreaking }) => {
        const input = { ...value, ifVersion, acknowledgeBreaking: allowBreaking };
        await api.mutate('publishDocument', input, '{ __typename }');
      },
    };
  },
  removal: {
    verb: 'deleted with all its versions',
    run: (api, { id }) => api.mutate('deleteDocument', { id }, '{ __typename }'),
  },
};

const webhookValue = ({ url, description, eventTypes, enabled }: FileWebhook) =>
  compact(
    { url, description, eventTypes: eventTypes && EVENT_TYPES.filter((type) => eventTypes.includes(type)), enabled },
    { description: '', enabled: true },
  );

export const WEBHOOKS: Section = {
  name: 'webhooks',
  noun: 'webhook',
  async read(api) {
    type Node = FileWebhook & { readonly endpointId: string };
    const fields = '{ endpointId url description eventTypes enabled }';
    const nodes = await api.all<Node>('webhookEndpoints', fields, 100);
    return nodes.map((node) => {
      const [webhook] = fromGraphql(webhooks, [node]) as [FileWebhook];
      return { key: node.url, id: node.endpointId, value: webhookValue(webhook) };
    });
  },
  items: ({ webhooks: list = [] }) =>
    list.map((webhook, index) => ({ key: webhook.url, value: webhookValue(webhook), path: ['webhooks', index] })),
  put({ value, key }, current) {
    const [sent] = toGraphql(webhooks, [value]) as [Partial<FileWebhook>];
    const fields = { url: key, description: sent.description ?? '', eventTypes: sent.eventTypes ?? null };
    return {
      createsSecret: !current,
      async run({ api, keepSecret }) {
        const id = current?.id ?? (await createWebhook(api, keepSecret, fields));
        // A changed URL is a new endpoint, so the URL is never sent: it would reset the count of failures.
        const { url: _, ...changed } = fields;
        if (current) await api.mutate('updateWebhookEndpoint', { id, ...changed }, '{ __typename }');
        const isEnabled = value.enabled !== false;
        if (isEnabled === (current ? current.value.enabled !== false : true)) return;
        await api.mutate(isEnabled ? 'enableWebhookEndpoint' : 'disableWebhookEndpoint', { id }, '{ __typename }');
      },
    };
  },
  removal: {
    verb: 'deleted with its deliveries',
    run: (api, { id }) => api.mutate('deleteWebhookEndpoint', { id }, '{ __typename }'),
  },
};

async function createWebhook(
  api: ApplyContext['api'],
  keepSecret: ApplyContext['keepSecret'],
  fields: { readonly url: string },
): Promise<string> {
  type Created = { readonly secret: string; readonly endpoint: { readonly endpointId: string } };
  const created = await api.mutate<Created>('createWebhookEndpoint', fields, '{ secret endpoint { endpointId } }');
  await keepSecret(`webhook ${fields.url}`, created.secret);
  return created.endpoint.endpointId;
}

export const MODEL_PRICES: Section = {
  name: 'modelPrices',
  noun: 'model price',
  async read(api) {
    type Node = { readonly model: string };
    const { modelPrices } = await api.query<{ modelPrices: Node[] }>(
      `{ modelPrices { ${Object.keys(SET_MODEL_PRICE.fields).join(' ')} } }`,
    );
    return modelPrices.map((value) => ({ key: value.model, id: value.model, value: compact({ ...value }) }));
  },
  items: ({ modelPrices = [] }) =>
    modelPrices.map((value, index) => ({ key: value.model, value: compact(value), path: ['modelPrices', index] })),
  put: ({ value }) => ({
    run: async ({ api }) => {
      await api.mutate('setModelPrice', value, '{ __typename }');
    },
  }),
  removal: {
    verb: 'removed; the cost of its usage becomes null',
    run: (api, { id }) => api.mutate('removeModelPrice', { model: id }, '{ __typename }'),
  },
};

/** Scopes in the order in which the API returns them. */
export const orderedScopes = (scopes: readonly string[]) => SCOPES.filter((scope) => scopes.includes(scope));
