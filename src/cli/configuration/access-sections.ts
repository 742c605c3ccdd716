import type { EnvironmentLimits } from '../../domain/access/workspaces/environment-limits.ts';
import type { Api } from './api.ts';
import { type ConfigurationFile, configurationFile, type FileKey } from './file-schema.ts';
import { type CurrentItem, compact, type FileItem, requiredId } from './item.ts';
import { fromGraphql, toGraphql } from './schema-walk.ts';
import type { Section } from './section.ts';
import { orderedScopes } from './simple-sections.ts';

const { apiKeys } = configurationFile.shape;

/** The names of the deployments of the workspace by ID. */
async function deploymentNames(api: Api, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  type Node = { readonly deploymentId: string; readonly name: string };
  const nodes = await api.all<Node>('deployments', '{ deploymentId name }', 100);
  return new Map(nodes.map(({ deploymentId, name }) => [deploymentId, name]));
}

const namesOf = (names: ReadonlyMap<string, string>, ids: readonly string[]) =>
  ids.map((id) => names.get(id) ?? id).sort();

type KeyNode = FileKey & {
  readonly apiKeyId: string;
  readonly masked: string;
  readonly revokedAt: string | null;
  readonly deploymentIds: readonly string[];
};

const keyValue = ({ deployments, expiresAt, allowedIpRanges, scopes, ...rest }: FileKey) =>
  compact({
    ...rest,
    scopes: orderedScopes(scopes),
    expiresAt: expiresAt && new Date(expiresAt).toISOString(),
    allowedIpRanges: allowedIpRanges?.length ? allowedIpRanges : null,
    deployments: deployments?.length ? [...new Set(deployments)].sort() : null,
  });

const isCurrent = ({ revokedAt, expiresAt }: KeyNode) =>
  revokedAt === null && (!expiresAt || new Date(expiresAt) > new Date());

export const API_KEYS: Section = {
  name: 'apiKeys',
  noun: 'API key',
  fixed: {
    fields: ['scopes'],
    hint: 'Give the key another name: that creates a new key. Then revoke the old key.',
  },
  async read(api) {
    const fields = `{ apiKeyId name masked revokedAt scopes requestsPerMinute expiresAt allowedIpRanges deploymentIds }`;
    const nodes = (await api.all<KeyNode>('apiKeys', fields, 100)).filter(isCurrent);
    const names = await deploymentNames(
      api,
      nodes.flatMap(({ deploymentIds }) => deploymentIds),
    );
    return nodes.map((node) => {
      const [key] = fromGraphql(apiKeys, [node]) as [FileKey];
      const value = keyValue({ ...key, deployments: namesOf(names, node.deploymentIds) });
      return { key: node.name, id: node.apiKeyId, value, masked: node.masked };
    });
  },
  items: ({ apiKeys: list = [] }) =>
    list.map((key, index) => ({ key: key.name, value: keyValue(key), path: ['apiKeys', index] })),
  put({ key: name, value }, current) {
    const key = value as FileKey;
    return {
      createsSecret: !current,
      async run({ api, deploymentIds, keepSecret }) {
        const settings = {
          requestsPerMinute: key.requestsPerMinute ?? null,
          expiresAt: key.expiresAt ?? null,
          allowedIpRanges: key.allowedIpRanges ?? null,
          deploymentIds: key.deployments?.map((one) => requiredId(deploymentIds, one)) ?? null,
        };
        if (current) {
          await api.mutate('updateApiKey', { id: current.id, ...settings }, '{ __typename }');
          return;
        }
        const [{ scopes }] = toGraphql(apiKeys, [key]) as [FileKey];
        const created = await api.mutate<{ secret: string }>(
          'createApiKey',
          { name, scopes, ...settings },
          '{ secret }',
        );
        await keepSecret(`API key ${name}`, created.secret);
      },
    };
  },
  removal: {
    verb: 'revoked permanently',
    keeps: (current, api) =>
      (current as CurrentItem & { masked: string }).masked === api.maskedKey ? 'this command may use it' : undefined,
    run: (api, { id }) => api.mutate('revokeApiKey', { id }, '{ __typename }'),
  },
};

type Issuer = NonNullable<ConfigurationFile['endUserIssuer']>;

/** Without the name of the variable, which the service does not know. */
const issuerValue = ({ deployments, signIn, ...issuer }: Verification & { readonly signIn?: Client }) =>
  compact({
    ...issuer,
    deployments: [...new Set(deployments)].sort(),
    signIn: signIn && { clientId: signIn.clientId },
  });

/** How JWTs are verified. */
type Verification = Pick<Issuer, 'issuer' | 'audience' | 'jwksUrl' | 'scopeClaim' | 'deployments'>;

type Client = { readonly clientId: string } | null | undefined;

interface IssuerItem extends FileItem {
  readonly issuer: Issuer;
}

/** The variable in an exported file. */
const SIGN_IN_VARIABLE = 'END_USER_CLIENT_SECRET';

export const END_USER_ISSUER: Section = {
  name: 'endUserIssuer',
  noun: 'end-user issuer',
  async read(api) {
    type Node = Omit<Verification, 'deployments'> & {
      readonly deploymentIds: readonly string[];
      readonly signIn: Client;
    };
    const { endUserIssuer } = await api.query<{ endUserIssuer: Node | null }>(
      '{ endUserIssuer { issuer audience jwksUrl scopeClaim deploymentIds signIn { clientId } } }',
    );
    if (!endUserIssuer) return [];
    const { deploymentIds, ...issuer } = endUserIssuer;
    const names = await deploymentNames(api, deploymentIds);
    return [{ key: '', id: '', value: issuerValue({ ...issuer, deployments: namesOf(names, deploymentIds) }) }];
  },
  items: ({ endUserIssuer: issuer }) => {
    if (!issuer) return [];
    const item: IssuerItem = { key: '', value: issuerValue(issuer), path: ['endUserIssuer'], issuer };
    return [item];
  },
  put(item) {
    const { deployments, signIn, ...issuer } = (item as IssuerItem).issuer;
    return {
      notes: ['Open streams of end users with earlier JWTs end.'],
      variables: signIn ? [{ name: signIn.env, path: 'endUserIssuer.signIn.env'.split('.') }] : [],
      async run({ api, deploymentIds: ids, secret }) {
        const deploymentIds = deployments.map((name) => requiredId(ids, name));
        const client = signIn ? { clientId: signIn.clientId, clientSecret: secret(signIn.env) } : null;
        const input = { scopeClaim: null, ...issuer, deploymentIds, signIn: client };
        await api.mutate('setEndUserIssuer', input, '{ __typename }');
      },
    };
  },
  mustSend: (item, { sendSecrets }) => sendSecrets && Boolean((item as IssuerItem).issuer.signIn),
  exported: async ({ value }) =>
    value.signIn ? { ...value, signIn: { ...(value.signIn as object), env: SIGN_IN_VARIABLE } } : value,
  removal: {
    verb: 'removed; the environment accepts no more JWTs',
    run: (api) => api.mutate('removeEndUserIssuer', undefined, '{ __typename }'),
  },
};

/** Null restores the default of the service. */
const DEFAULT_LIMITS: { readonly [Name in keyof EnvironmentLimits]: null } = {
  requestsPerMinute: null,
  concurrentRuns: null,
  backgroundRuns: null,
  fileMegabytes: null,
};

export const LIMITS_SECTION: Section = {
  name: 'limits',
  noun: 'environment limits',
  async read(api) {
    const fields = Object.keys(DEFAULT_LIMITS).join(' ');
    const { environmentLimits } = await api.query<{ environmentLimits: Record<string, unknown> }>(
      `{ environmentLimits { ${fields} } }`,
    );
    return [{ key: '', id: '', value: compact(environmentLimits) }];
  },
  items: ({ limits }) => (limits ? [{ key: '', value: compact(limits), path: ['limits'] }] : []),
  put: ({ value }) => ({
    run: async ({ api }) => {
      await api.mutate('setEnvironmentLimits', { ...DEFAULT_LIMITS, ...value }, '{ __typename }');
    },
  }),
};

export const RETENTION: Section = {
  name: 'retention',
  noun: 'retention',
  async read(api) {
    const { retention } = await api.query<{ retention: Record<string, unknown> }>('{ retention { days traceDays } }');
    return [{ key: '', id: '', value: compact(retention) }];
  },
  items: ({ retention }) => (retention ? [{ key: '', value: compact(retention), path: ['retention'] }] : []),
  put: ({ value }) => ({
    notes: ['The service deletes conversations and traces that are older than the period, within minutes.'],
    run: async ({ api }) => {
      await api.mutate('setRetention', { days: null, ...value }, '{ __typename }');
    },
  }),
};
