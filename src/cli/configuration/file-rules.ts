import { type FieldPath, type InputIssue, ServiceError } from '../../contract/errors.ts';
import { changedDraft, type DraftChange } from '../../domain/workflows/draft-input.ts';
import { requireUsableSchemas } from '../../domain/workflows/draft-schemas.ts';
import { budgetKey } from './budget-section.ts';
import type { ConfigurationFile, FileWorkflow } from './file-schema.ts';

/** The rules between several fields of the file. */
export async function fileRules(file: ConfigurationFile): Promise<InputIssue[]> {
  const drafts = await Promise.all((file.workflows ?? []).map(workflowIssues));
  return [
    ...repeatedKeys(file),
    ...budgetIssues(file),
    ...drafts.flat(),
    ...versionIssues(file),
    ...referenceIssues(file),
  ];
}

const UNKNOWN_DEPLOYMENT = 'is not the name of a deployment in this file. Add the deployment.';

/** The field that identifies the items of each list. */
const KEY_FIELDS = {
  integrations: 'name',
  workflows: 'name',
  deployments: 'name',
  documents: 'name',
  webhooks: 'url',
  apiKeys: 'name',
  modelPrices: 'model',
} as const;

function repeatedKeys(file: ConfigurationFile): InputIssue[] {
  return Object.entries(KEY_FIELDS).flatMap(([section, field]) => {
    const items = (file[section as keyof typeof KEY_FIELDS] ?? []) as readonly Readonly<Record<string, unknown>>[];
    return repeated(items, field, [section]);
  });
}

function repeated(items: readonly Readonly<Record<string, unknown>>[], field: string, path: FieldPath): InputIssue[] {
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    if (!seen.has(item[field])) {
      seen.add(item[field]);
      return [];
    }
    const message = `is used twice. An item is recognized by its ${field}, so each needs its own.`;
    return [{ path: [...path, index, field], message }];
  });
}

/** A budget is recognized by its deployment and its period, and has one of the two units. */
function budgetIssues({ budgets = [], deployments }: ConfigurationFile): InputIssue[] {
  const seen = new Set<string>();
  return budgets.flatMap((budget, index): InputIssue[] => {
    const path = ['budgets', index];
    const { deployment, amount, tokens } = budget;
    const key = budgetKey(budget);
    const repeats = seen.has(key);
    seen.add(key);
    const isUnknown = deployment != null && deployments && !deployments.some(({ name }) => name === deployment);
    return [
      ...(repeats ? [{ path: [...path, 'period'], message: 'is used twice for the same place. Remove one.' }] : []),
      ...((amount == null) === (tokens == null)
        ? [{ path: [...path, 'amount'], message: 'or tokens must be set, and not both.' }]
        : []),
      ...(isUnknown ? [{ path: [...path, 'deployment'], message: UNKNOWN_DEPLOYMENT }] : []),
    ];
  });
}

async function workflowIssues(workflow: FileWorkflow, index: number): Promise<InputIssue[]> {
  const path = ['workflows', index];
  const own = await draftIssues(workflow.config, [...path, 'config']);
  const versions = await Promise.all(
    workflow.versions.map(({ config }, at) => draftIssues(config, [...path, 'versions', at, 'config'])),
  );
  return [...own, ...versions.flat(), ...repeated(workflow.versions, 'name', [...path, 'versions'])];
}

async function draftIssues(draft: DraftChange, path: FieldPath): Promise<InputIssue[]> {
  try {
    changedDraft({}, draft);
    await requireUsableSchemas(draft);
    return [];
  } catch (error) {
    return [issueOf(error, path)];
  }
}

/** Each version is run by a deployment, because a version that nothing runs cannot be published. */
function versionIssues({ workflows = [], deployments = [] }: ConfigurationFile): InputIssue[] {
  return workflows.flatMap(({ name, versions }, index) =>
    versions.flatMap((version, at): InputIssue[] => {
      const isRun = deployments.some((one) => one.workflow === name && one.published && one.version === version.name);
      if (isRun) return [];
      const message = 'is run by no deployment. Remove it, or name it as the version of a published deployment.';
      return [{ path: ['workflows', index, 'versions', at, 'name'], message }];
    }),
  );
}

/** Names that are not in a list of the file, if the file has the list. */
function referenceIssues({ workflows, deployments, apiKeys = [], endUserIssuer }: ConfigurationFile): InputIssue[] {
  const versionNames = (name: string) =>
    new Set(workflows?.find((one) => one.name === name)?.versions.map((version) => version.name));
  const ofDeployments = (deployments ?? []).flatMap(({ workflow, version }, index): InputIssue[] => {
    const path = ['deployments', index];
    if (workflows && !workflows.some(({ name }) => name === workflow)) {
      return [
        { path: [...path, 'workflow'], message: 'is not the name of a workflow in this file. Add the workflow.' },
      ];
    }
    if (version === undefined || versionNames(workflow).has(version)) return [];
    const message = `is not a version of the workflow ${workflow} in this file. Add it to the workflow's versions.`;
    return [{ path: [...path, 'version'], message }];
  });
  if (!deployments) return ofDeployments;
  const known = new Set(deployments.map(({ name }) => name));
  const names = (list: readonly string[] | null | undefined, path: FieldPath) =>
    (list ?? []).flatMap((name, index): InputIssue[] => {
      if (known.has(name)) return [];
      return [{ path: [...path, index], message: UNKNOWN_DEPLOYMENT }];
    });
  const ofKeys = apiKeys.flatMap((key, index) => names(key.deployments, ['apiKeys', index, 'deployments']));
  return [...ofDeployments, ...ofKeys, ...names(endUserIssuer?.deployments, ['endUserIssuer', 'deployments'])];
}

/** The issue of a domain rule at a path of the file. */
function issueOf(error: unknown, path: FieldPath): InputIssue {
  if (!(error instanceof ServiceError)) throw error;
  const param = (error.details.param ?? []).filter((step) => step !== 'draft');
  return { path: [...path, ...param], message: error.message.replace(/^\{param\} /, '').replaceAll('{param}', 'it') };
}
