import { isDeepStrictEqual } from 'node:util';
import type { FieldPath } from '../../contract/errors.ts';
import { CommandError } from '../options.ts';
import { API_KEYS, END_USER_ISSUER, LIMITS_SECTION, RETENTION } from './access-sections.ts';
import type { Api } from './api.ts';
import { BUDGETS, TIME_ZONE } from './budget-section.ts';
import { type CurrentDeployment, DEPLOYMENTS } from './deployment-section.ts';
import type { ConfigurationFile } from './file-schema.ts';
import type { CurrentItem, FileItem, SectionName, Step } from './item.ts';
import { publicationSteps } from './publications.ts';
import type { SourceFile } from './read-file.ts';
import type { PlanOptions, Section } from './section.ts';
import { DOCUMENTS, INTEGRATIONS, MODEL_PRICES, WEBHOOKS } from './simple-sections.ts';
import { type CurrentWorkflow, WORKFLOWS } from './workflow-section.ts';

/**
 * In the order of the steps: workflows call integrations, budgets in money need prices before a version is published,
 * deployments run workflows, and keys, the issuer and budgets belong to deployments. Removals have the opposite order.
 */
export const SECTIONS: readonly Section[] = [
  INTEGRATIONS,
  MODEL_PRICES,
  WORKFLOWS,
  DEPLOYMENTS,
  DOCUMENTS,
  WEBHOOKS,
  API_KEYS,
  TIME_ZONE,
  BUDGETS,
  END_USER_ISSUER,
  LIMITS_SECTION,
  RETENTION,
];

export interface OtherItem {
  readonly title: string;
  /** Why `--prune` keeps it. */
  readonly reason?: string;
}

export interface Plan {
  readonly steps: readonly Step[];
  /** The number of items of the file that are already right. */
  readonly unchanged: number;
  /** Items of the environment that the file does not have, and that stay. */
  readonly others: readonly OtherItem[];
  readonly current: CurrentState;
}

export interface CurrentState {
  readonly items: ReadonlyMap<SectionName, readonly CurrentItem[]>;
  readonly workflows: readonly CurrentWorkflow[];
  readonly deployments: readonly CurrentDeployment[];
}

export interface PlanSettings extends PlanOptions {
  readonly prune: boolean;
}

export const titleOf = ({ noun }: Section, key: string) => (key === '' ? noun : `${noun} "${key}"`);

/** Whether the file is about this section. Other sections are neither read nor changed. */
const isIn = (file: ConfigurationFile) => (section: Section) => file[section.name] !== undefined;

/** Sections that others refer to by name. */
function isNeeded(file: ConfigurationFile, section: Section) {
  const { workflows, deployments, apiKeys = [], budgets = [], endUserIssuer } = file;
  if (section === WORKFLOWS) return Boolean(workflows || deployments?.length);
  if (section !== DEPLOYMENTS) return false;
  return Boolean(
    endUserIssuer || apiKeys.some((key) => key.deployments) || budgets.some((budget) => budget.deployment != null),
  );
}

async function readCurrent(api: Api, file: ConfigurationFile): Promise<CurrentState> {
  const items = new Map<SectionName, readonly CurrentItem[]>();
  for (const section of SECTIONS) {
    if (isIn(file)(section) || isNeeded(file, section)) items.set(section.name, await section.read(api));
  }
  return {
    items,
    workflows: (items.get('workflows') ?? []) as readonly CurrentWorkflow[],
    deployments: (items.get('deployments') ?? []) as readonly CurrentDeployment[],
  };
}

/** Compares the file with the environment. @throws {CommandError} if the file asks for something that is impossible */
export async function planOf(api: Api, { config, at }: SourceFile, settings: PlanSettings): Promise<Plan> {
  const current = await readCurrent(api, config);
  const sections = SECTIONS.filter(isIn(config));
  const problems = [
    ...sections.flatMap((section) => problemsOf(section, section.items(config), current, at)),
    ...referenceProblems(config, current, at),
  ];
  if (problems.length > 0) throw new CommandError(problems.join('\n'));
  const changes = sections.flatMap((section) => changesOf(section, config, current, settings));
  const publications = publicationSteps(config, current);
  const after = changes.findLastIndex(({ section }) => ['integrations', 'workflows', 'deployments'].includes(section));
  const rest = sections.map((section) => restOf(api, section, config, current, settings.prune));
  const removals = rest.flatMap(({ removals: steps }) => steps).reverse();
  const count = sections.reduce((sum, section) => sum + section.items(config).length, 0);
  return {
    steps: [...changes.slice(0, after + 1), ...publications, ...changes.slice(after + 1), ...removals],
    unchanged: count - changes.length,
    others: rest.flatMap(({ others }) => others),
    current,
  };
}

type At = SourceFile['at'];

/** Names that several objects have, and fields that cannot change. */
function problemsOf(section: Section, items: readonly FileItem[], { items: all }: CurrentState, at: At): string[] {
  return items.flatMap(({ key, value, path }) => {
    const [current, ...more] = (all.get(section.name) ?? []).filter((item) => item.key === key);
    const title = titleOf(section, key);
    if (current && more.length > 0) {
      const ids = [current, ...more].map(({ id }) => id).join(', ');
      return [`${at(path)}: The environment has several of ${title}: ${ids}. Rename or remove all but one.`];
    }
    const { fields = [], hint = '' } = section.fixed ?? {};
    const changed = fields.filter((field) => current && !isDeepStrictEqual(current.value[field], value[field]));
    return changed.map((field) => `${at([...path, field])} cannot change for the existing ${title}. ${hint}`);
  });
}

/** Names of workflows and deployments that are neither in the file nor in the environment. */
function referenceProblems(file: ConfigurationFile, { workflows, deployments }: CurrentState, at: At): string[] {
  const { deployments: list = [], apiKeys = [], budgets = [], endUserIssuer } = file;
  const missing = (noun: string, names: readonly string[], name: string, path: FieldPath) => {
    const count = names.filter((one) => one === name).length;
    if (count === 1) return [];
    const text = count === 0 ? `There is no ${noun} "${name}"` : `The environment has several of ${noun} "${name}"`;
    return [`${at(path)}: ${text}. ${count === 0 ? 'Add it to the file, or correct the name' : 'Rename all but one'}.`];
  };
  const workflowNames = (file.workflows ?? workflows.map(({ key }) => ({ name: key }))).map(({ name }) => name);
  const deploymentNames = file.deployments?.map(({ name }) => name) ?? deployments.map(({ key }) => key);
  const ofNames = (names: readonly string[] | null | undefined, path: FieldPath) =>
    (names ?? []).flatMap((name, index) => missing('deployment', deploymentNames, name, [...path, index]));
  return [
    ...list.flatMap(({ workflow }, index) =>
      missing('workflow', workflowNames, workflow, ['deployments', index, 'workflow']),
    ),
    ...apiKeys.flatMap((key, index) => ofNames(key.deployments, ['apiKeys', index, 'deployments'])),
    ...budgets.flatMap(({ deployment }, index) =>
      deployment == null ? [] : missing('deployment', deploymentNames, deployment, ['budgets', index, 'deployment']),
    ),
    ...ofNames(endUserIssuer?.deployments, ['endUserIssuer', 'deployments']),
  ];
}

function changesOf(section: Section, file: ConfigurationFile, { items }: CurrentState, options: PlanOptions): Step[] {
  const existing = items.get(section.name) ?? [];
  return section.items(file).flatMap((item): Step[] => {
    const current = existing.find(({ key }) => key === item.key);
    const isSame = current !== undefined && isDeepStrictEqual(current.value, item.value);
    const isSent = section.mustSend?.(item, options) ?? false;
    if (isSame && !isSent) return [];
    return [
      {
        effect: current ? 'change' : 'create',
        section: section.name,
        title: titleOf(section, item.key),
        path: item.path,
        before: current?.value,
        after: item.value,
        ...(isSame && { notes: ['Sends its secrets again.'] }),
        ...section.put(item, current),
      },
    ];
  });
}

/** Items that the file does not have. */
function restOf(api: Api, section: Section, file: ConfigurationFile, { items }: CurrentState, prune: boolean) {
  const keys = new Set(section.items(file).map(({ key }) => key));
  const rest = (items.get(section.name) ?? []).filter(({ key }) => !keys.has(key));
  const others: OtherItem[] = [];
  const removals: Step[] = [];
  // `endUserIssuer: null` names the removal itself.
  const isRemoved = prune || file[section.name] === null;
  for (const item of rest) {
    const { removal } = section;
    const title = titleOf(section, item.key);
    const reason = removal ? removal.keeps?.(item, api) : 'apply does not delete it';
    if (!isRemoved || !removal || reason !== undefined) {
      others.push({ title, ...(isRemoved && reason !== undefined && { reason }) });
    } else {
      const run = async () => void (await removal.run(api, item));
      const notes = [`It is ${removal.verb}.${item.id && ` ID: ${item.id}.`}`];
      removals.push({ effect: 'remove', section: section.name, title, before: item.value, notes, run });
    }
  }
  return { others, removals };
}
