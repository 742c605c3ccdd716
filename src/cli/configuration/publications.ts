import { isDeepStrictEqual } from 'node:util';
import type { WorkflowConfig } from '../../domain/workflows/config.ts';
import type { CurrentDeployment } from './deployment-section.ts';
import type { ConfigurationFile, FileDeployment } from './file-schema.ts';
import { type ApplyContext, requiredId, type Step } from './item.ts';
import { type CurrentWorkflow, configOf, configValue, setDraft } from './workflow-section.ts';

interface CurrentNames {
  readonly workflows: readonly CurrentWorkflow[];
  readonly deployments: readonly CurrentDeployment[];
}

/**
 * The steps after which each deployment of the file runs its configuration. A version is made from the draft, so the
 * configurations of named versions become the draft first, in the order of the file. Each of these steps restores the
 * draft. A step that was interrupted in between leaves a draft that the next plan corrects.
 */
export function publicationSteps(file: ConfigurationFile, { workflows, deployments }: CurrentNames): Step[] {
  const list = file.deployments ?? [];
  const before = (name: string) => deployments.find(({ key }) => key === name);
  const labels = (file.workflows ?? []).flatMap(({ versions }) => versions.map(({ name }) => name));
  const order = ({ version }: FileDeployment) => (version === undefined ? labels.length : labels.indexOf(version));
  const sorted = list.toSorted((one, other) => order(one) - order(other));
  const draft = (name: string) => workflows.find(({ key }) => key === name)?.config;
  return sorted.flatMap(
    (deployment) => stepOf(file, deployment, draft(deployment.workflow), before(deployment.name)) ?? [],
  );
}

function stepOf(
  file: ConfigurationFile,
  deployment: FileDeployment,
  draft: WorkflowConfig | undefined,
  before: CurrentDeployment | undefined,
): Step | undefined {
  const running = before?.running;
  if (!deployment.published) return running && unpublication(deployment, running.number);
  const workflow = file.workflows?.find(({ name }) => name === deployment.workflow);
  const version = workflow?.versions.find(({ name }) => name === deployment.version);
  const target = workflow && configOf(version?.config ?? workflow.config);
  // Without the workflow in the file, any version is right.
  if (running && (!target || isDeepStrictEqual(running.config, target))) return undefined;
  // The step of the workflow shows the same difference.
  const isShown = version !== undefined || (running && !isDeepStrictEqual(running.config, draft));
  return {
    effect: 'change',
    section: 'deployments',
    title: `version of deployment "${deployment.name}"`,
    path: ['deployments', (file.deployments ?? []).indexOf(deployment)],
    ...(isShown && { before: running && configValue(running.config), after: target && configValue(target) }),
    notes: [`Publishes ${version ? `the version ${version.name}` : 'the draft'} of workflow "${deployment.workflow}".`],
    run: (context) => publish(context, deployment, target, workflow && configOf(workflow.config)),
  };
}

function unpublication({ name }: FileDeployment, number: number): Step {
  return {
    effect: 'change',
    section: 'deployments',
    title: `version of deployment "${name}"`,
    notes: [`Takes the deployment offline. It runs version ${number}.`],
    run: async ({ api, deploymentIds }) => {
      await api.mutate('unpublishDeployment', { deploymentId: requiredId(deploymentIds, name) }, '{ __typename }');
    },
  };
}

async function publish(
  context: ApplyContext,
  { name, workflow }: FileDeployment,
  target: WorkflowConfig | undefined,
  draft: WorkflowConfig | undefined,
): Promise<void> {
  if (target) await setDraft(context, workflow, target);
  const input = {
    workflowId: requiredId(context.workflowIds, workflow),
    deploymentIds: [requiredId(context.deploymentIds, name)],
    ifRevision: requiredId(context.revisions, workflow),
  };
  await context.api.mutate('publishWorkflow', input, '{ __typename }');
  if (draft) await setDraft(context, workflow, draft);
}
