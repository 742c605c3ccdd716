import { type Branding, DEFAULT_BRANDING } from '../../domain/branding/branding.ts';
import { changedBranding } from '../../domain/branding/input.ts';
import type { WorkflowConfig } from '../../domain/workflows/config.ts';
import { newDeployment } from '../../domain/workflows/deployment-input.ts';
import { changedValues } from '../../shapes/field.ts';
import { DEFAULT_SETTINGS, DEPLOYMENT_SETTINGS, type DeploymentSettings } from '../../shapes/workflows.ts';
import { configurationFile, type FileDeployment } from './file-schema.ts';
import { type CurrentItem, compact, type FileItem, requiredId } from './item.ts';
import { fromGraphql, selectionOf, toGraphql } from './schema-walk.ts';
import type { Section } from './section.ts';
import { CONFIG_PAGE_SIZE, CONFIG_SELECTION, configOfResponse } from './workflow-section.ts';

const { deployments } = configurationFile.shape;
const { logo: _, ...TEXTS } = DEFAULT_BRANDING;
const SETTINGS = Object.keys(DEPLOYMENT_SETTINGS)
  .map((name) => `${name}${selectionOf(newDeployment.shape[name as keyof DeploymentSettings])}`)
  .join(' ');

const settingsOf = (deployment: FileDeployment) => changedValues(DEPLOYMENT_SETTINGS, DEFAULT_SETTINGS, deployment);

export interface CurrentDeployment extends CurrentItem {
  readonly workflow: string;
  /** The number and the configuration of the version that it runs. */
  readonly running: { readonly number: number; readonly config: WorkflowConfig } | undefined;
  readonly logoUrl: string | null;
}

export interface DeploymentItem extends FileItem {
  readonly deployment: FileDeployment;
}

type Node = Omit<FileDeployment, 'workflow' | 'branding'> & {
  readonly deploymentId: string;
  readonly workflow: { readonly name: string };
  readonly version: { readonly number: number; readonly config: unknown } | null;
  readonly branding: { readonly logoUrl: string | null };
};

type Identity = Pick<FileDeployment, 'name' | 'workflow' | 'kind'>;

/** The picture of a logo is in the file, its digest in differences. */
type ShownBranding = Omit<Branding, 'logo'> & { readonly logo: string | null };

function deploymentValue({ name, workflow, kind }: Identity, settings: DeploymentSettings, branding: ShownBranding) {
  const changed = compact({ ...branding }, { ...TEXTS });
  return compact(
    { name, workflow, kind, ...compact({ ...settings }, { ...DEFAULT_SETTINGS }), branding: changed },
    { branding: {} },
  );
}

const digestText = (digest: string | undefined) => (digest === undefined ? null : `sha256:${digest}`);

/** The branding of the file, with defaults for omitted fields. */
const brandingOf = ({ branding }: FileDeployment) => changedBranding(DEFAULT_BRANDING, branding ?? {}).branding;

function fileValue(deployment: FileDeployment) {
  const branding = brandingOf(deployment);
  const settings = settingsOf(deployment);
  return deploymentValue(deployment, settings, { ...branding, logo: digestText(branding.logo?.digest) });
}

function currentOf(node: Node): CurrentDeployment {
  const { deploymentId, version, workflow, branding } = node;
  const flat = { ...node, workflow: workflow.name };
  const [deployment] = fromGraphql(deployments, [flat]) as [FileDeployment];
  const { logoUrl } = branding;
  const stored = deployment.branding as Partial<typeof TEXTS>;
  const texts = { ...TEXTS, ...stored, logo: digestText(logoUrl?.split('/').at(-1)) };
  return {
    key: deployment.name,
    id: deploymentId,
    value: deploymentValue(deployment, settingsOf(deployment), texts),
    workflow: workflow.name,
    running: version ? { number: version.number, config: configOfResponse(version.config) } : undefined,
    logoUrl,
  };
}

/** The fields of the mutations: null restores the default. The logo is sent only if it differs. */
function inputOf(deployment: FileDeployment, current: CurrentItem | undefined): object {
  const { logo, ...texts } = brandingOf(deployment);
  const picture = deployment.branding?.logo?.picture;
  const before = current?.value.branding as Partial<ShownBranding> | undefined;
  const isSame = digestText(logo?.digest) === (before?.logo ?? null);
  const fields = { name: deployment.name, kind: deployment.kind, ...settingsOf(deployment) };
  const [input] = toGraphql(deployments, [{ ...fields, branding: texts }]) as [{ branding: object }];
  const sent = picture ? Buffer.from(picture).toString('base64') : null;
  return { ...input, branding: { ...input.branding, ...(!isSame && { logo: sent }) } };
}

export const DEPLOYMENTS: Section = {
  name: 'deployments',
  noun: 'deployment',
  fixed: { fields: ['workflow', 'kind'], hint: 'Give the deployment another name: that creates a new deployment.' },
  async read(api) {
    const texts = `branding { ${Object.keys(TEXTS).join(' ')} logoUrl }`;
    const fields = `{ deploymentId name kind workflow { name } version { number config${CONFIG_SELECTION} }
      ${SETTINGS} ${texts} }`;
    return (await api.all<Node>('deployments', fields, CONFIG_PAGE_SIZE)).map(currentOf);
  },
  items: ({ deployments: list = [] }) =>
    list.map((deployment, index): DeploymentItem => {
      return { key: deployment.name, value: fileValue(deployment), path: ['deployments', index], deployment };
    }),
  put(item, current) {
    const { deployment } = item as DeploymentItem;
    const input = inputOf(deployment, current);
    return {
      async run({ api, workflowIds, deploymentIds }) {
        if (current) {
          const { kind: _, ...changes } = input as { readonly kind: string };
          await api.mutate('updateDeployment', { deploymentId: current.id, ...changes }, '{ __typename }');
          return;
        }
        const workflowId = requiredId(workflowIds, deployment.workflow);
        type Created = { readonly deployment: { readonly deploymentId: string } };
        const selection = '{ deployment { deploymentId } }';
        const created = await api.mutate<Created>('createDeployment', { ...input, workflowId }, selection);
        deploymentIds.set(deployment.name, created.deployment.deploymentId);
      },
    };
  },
  removal: {
    verb: 'taken offline',
    keeps: (current) => ((current as CurrentDeployment).running ? undefined : 'it is already offline'),
    run: (api, { id }) => api.mutate('unpublishDeployment', { deploymentId: id }, '{ __typename }'),
  },
  async exported(current, api) {
    const { logoUrl, value } = current as CurrentDeployment;
    if (!logoUrl) return value;
    const logo = (await api.file(new URL(logoUrl).pathname.slice(1))).toString('base64');
    return { ...value, branding: { ...(value.branding as object), logo } };
  },
};
