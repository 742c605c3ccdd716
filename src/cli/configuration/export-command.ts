import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { RemoteCommand } from '../command.ts';
import { CommandError } from '../options.ts';
import { API_KEYS } from './access-sections.ts';
import { API_OPTIONS, type Api, ApiError, openApi } from './api.ts';
import { type CurrentDeployment, DEPLOYMENTS } from './deployment-section.ts';
import { printable, yamlOf } from './describe.ts';
import { configurationJsonSchema } from './file-schema.ts';
import type { CurrentItem } from './item.ts';
import { SECTIONS, titleOf } from './plan.ts';
import type { Section } from './section.ts';
import { type CurrentWorkflow, configValue, WORKFLOWS } from './workflow-section.ts';

const SINGLE: ReadonlySet<string> = new Set(['environment', 'endUserIssuer', 'limits', 'retention']);

/** Errors that the credential cannot read a section. */
const UNREADABLE: ReadonlySet<string> = new Set(['forbidden', 'session_required']);

const OUTPUT = { value: 'FILE', help: 'writes to a new file; default: standard output' };

export const EXPORT_CONFIG_COMMAND: RemoteCommand = {
  isRemote: true,
  name: 'export config',
  summary: 'Writes the configuration of an environment as a file for apply. Needs PARLEY_URL and PARLEY_API_KEY.',
  options: { output: OUTPUT, ...API_OPTIONS },
  async run(terminal, options) {
    const api = openApi(terminal, options);
    const { file, skipped } = await exported(api);
    const missing = skipped.map(({ name, message }) => `# Left out: ${name}. ${printable(message)}`);
    const head = ['# yaml-language-server: $schema=./parley.schema.json', ...missing].join('\n');
    const text = `${head}\n${yamlOf(file)}`;
    await output(terminal.stdout, options.text('output'), text);
    const sections = Object.keys(file).filter((name) => name !== 'version');
    const rest = skipped.map(({ name, message }) => `\nLeft out: ${name}. ${message}`).join('');
    return {
      data: { sections, left_out: skipped.map(({ name }) => name) },
      text: printable(`Exported ${sections.join(', ') || 'nothing'}.${rest}`),
      toStandardError: options.text('output') === undefined,
    };
  },
};

export const EXPORT_SCHEMA_COMMAND: RemoteCommand = {
  isRemote: true,
  name: 'export config-schema',
  summary: 'Writes the JSON Schema of the configuration file, for editors.',
  options: { output: OUTPUT },
  async run(terminal, options) {
    await output(terminal.stdout, options.text('output'), `${JSON.stringify(configurationJsonSchema(), null, 2)}\n`);
    return { data: {}, text: 'Exported the JSON Schema.', toStandardError: options.text('output') === undefined };
  },
};

async function output(stdout: NodeJS.WritableStream, path: string | undefined, text: string): Promise<void> {
  if (path === undefined) {
    stdout.write(text);
    return;
  }
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'already exists' : `cannot be written (${error.code})`;
    throw new CommandError(`--output ${path} ${reason}. Choose a new file.`);
  });
}

interface Exported {
  readonly file: Readonly<Record<string, unknown>>;
  readonly skipped: readonly { readonly name: string; readonly message: string }[];
}

async function exported(api: Api): Promise<Exported> {
  const items = new Map<Section, readonly CurrentItem[]>();
  const skipped: { name: string; message: string }[] = [];
  for (const section of SECTIONS) {
    try {
      items.set(section, await section.read(api));
    } catch (error) {
      if (!(error instanceof ApiError && UNREADABLE.has(error.code))) throw error;
      skipped.push({ name: section.name, message: error.message });
    }
  }
  for (const [section, list] of items) requireUniqueKeys(section, list);
  const { workflows, deployments } = withVersions(
    (items.get(WORKFLOWS) ?? []) as readonly CurrentWorkflow[],
    (items.get(DEPLOYMENTS) ?? []) as readonly CurrentDeployment[],
  );
  items.set(WORKFLOWS, workflows).set(DEPLOYMENTS, deployments);
  const file: Record<string, unknown> = { version: 1 };
  for (const section of SECTIONS) {
    const list = (items.get(section) ?? []).filter((item) => !isOwnKey(section, item, api));
    if (list.length > 0) file[section.name] = await sectionValue(section, list, api);
  }
  return { file, skipped };
}

/** The key of this command belongs to the pipeline, and has a secret that only the pipeline has. */
const isOwnKey = (section: Section, item: CurrentItem, api: Api) =>
  section === API_KEYS && API_KEYS.removal?.keeps?.(item, api) !== undefined;

/** In the order of the names, because the API has the newest first. */
async function sectionValue(section: Section, list: readonly CurrentItem[], api: Api): Promise<unknown> {
  const sorted = list.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const values: object[] = [];
  for (const item of sorted) values.push((await section.exported?.(item, api)) ?? item.value);
  return SINGLE.has(section.name) ? values[0] : values;
}

/** @throws {CommandError} because the file recognizes items by these names */
function requireUniqueKeys(section: Section, items: readonly CurrentItem[]): void {
  for (const { key } of items) {
    const same = items.filter((item) => item.key === key);
    if (same.length < 2) continue;
    const ids = same.map(({ id }) => id).join(', ');
    throw new CommandError(
      printable(`The environment has several of ${titleOf(section, key)}: ${ids}. Rename or remove all but one.`),
    );
  }
}

/** Adds the configurations that deployments run and that are not the draft. */
function withVersions(workflows: readonly CurrentWorkflow[], deployments: readonly CurrentDeployment[]) {
  const labels = new Map<CurrentDeployment, string>();
  const shown = workflows.map((workflow): CurrentWorkflow => {
    const others = deployments
      .filter(({ workflow: name, running }) => name === workflow.key && running)
      .filter(({ running }) => !isDeepStrictEqual(running?.config, workflow.config))
      .sort((one, other) => (one.running?.number ?? 0) - (other.running?.number ?? 0));
    const configs: unknown[] = [];
    for (const deployment of others) {
      const config = configValue(deployment.running?.config ?? workflow.config);
      let index = configs.findIndex((one) => isDeepStrictEqual(one, config));
      if (index < 0) index = configs.push(config) - 1;
      labels.set(deployment, `version-${index + 1}`);
    }
    const versions = configs.map((config, index) => ({ name: `version-${index + 1}`, config }));
    return { ...workflow, value: { ...workflow.value, ...(versions.length > 0 && { versions }) } };
  });
  const named = deployments.map((deployment): CurrentDeployment => {
    const { name, workflow, kind, ...settings } = deployment.value;
    const version = labels.get(deployment);
    const state = deployment.running ? version && { version } : { published: false };
    return { ...deployment, value: { name, workflow, kind, ...state, ...settings } };
  });
  return { workflows: shown, deployments: named };
}
