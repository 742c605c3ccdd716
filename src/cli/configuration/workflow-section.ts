import { isDeepStrictEqual } from 'node:util';
import { type WorkflowConfig, workflowConfig } from '../../domain/workflows/config.ts';
import { changedDraft, type DraftChange, draftChange } from '../../domain/workflows/draft-input.ts';
import type { FileWorkflow } from './file-schema.ts';
import { type ApplyContext, type CurrentItem, compact, type FileItem, requiredId } from './item.ts';
import { canonical, fromGraphql, selectionOf, toGraphql } from './schema-walk.ts';
import type { Section } from './section.ts';

export const CONFIG_SELECTION = selectionOf(workflowConfig);

/** Cost: a page of 20 configurations is below the service's limit. */
export const CONFIG_PAGE_SIZE = 20;

export interface CurrentWorkflow extends CurrentItem {
  readonly workflowId: number;
  readonly revision: number;
  readonly config: WorkflowConfig;
}

interface WorkflowItem extends FileItem {
  readonly workflow: FileWorkflow;
}

/** A new MCP server without an approval gets one from the service, so "no approval" is always written. */
function withApprovals(config: WorkflowConfig): WorkflowConfig {
  const mcpServers = config.mcpServers.map((server) => ({
    ...server,
    approval: server.approval ?? ({ mode: 'never', approver: 'member' } as const),
  }));
  return { ...config, mcpServers };
}

/** The complete configuration that a file describes. */
export function configOf(change: DraftChange): WorkflowConfig {
  return canonical(workflowConfig, withApprovals(changedDraft({}, change))) as WorkflowConfig;
}

/** The complete configuration in a response. */
export function configOfResponse(response: unknown): WorkflowConfig {
  const config = workflowConfig.parse(fromGraphql(workflowConfig, response));
  return canonical(workflowConfig, withApprovals(config)) as WorkflowConfig;
}

/** The configuration as the file has it. */
export const configValue = (config: WorkflowConfig) => compact({ ...config }, { ...workflowConfig.parse({}) });

const workflowValue = (name: string, triggerRequired: boolean, config: WorkflowConfig) =>
  compact({ name, triggerRequired, config: configValue(config) }, { triggerRequired: false, config: {} });

export const WORKFLOWS: Section = {
  name: 'workflows',
  noun: 'workflow',
  async read(api) {
    type Node = { workflowId: number; name: string; revision: number; triggerRequired: boolean; draft: unknown };
    const fields = `{ workflowId name revision triggerRequired draft${CONFIG_SELECTION} }`;
    const nodes = await api.all<Node>('workflows', fields, CONFIG_PAGE_SIZE);
    return nodes.map(({ workflowId, name, revision, triggerRequired, draft }): CurrentWorkflow => {
      const config = configOfResponse(draft);
      const value = workflowValue(name, triggerRequired, config);
      return { key: name, id: String(workflowId), value, workflowId, revision, config };
    });
  },
  items: ({ workflows = [] }) =>
    workflows.map((workflow, index): WorkflowItem => {
      const value = workflowValue(workflow.name, workflow.triggerRequired, configOf(workflow.config));
      return { key: workflow.name, value, path: ['workflows', index], workflow };
    }),
  put(item, current) {
    const { workflow } = item as WorkflowItem;
    const before = current as CurrentWorkflow | undefined;
    return {
      async run(context) {
        const config = configOf(workflow.config);
        if (before) await setDraft(context, workflow.name, config);
        else await create(context, workflow.name, config);
        if ((before?.value.triggerRequired ?? false) === workflow.triggerRequired) return;
        const workflowId = requiredId(context.workflowIds, workflow.name);
        const input = { workflowId, triggerRequired: workflow.triggerRequired };
        await context.api.mutate('setTriggerRequired', input, '{ __typename }');
      },
    };
  },
};

/** All fields of the draft: null restores the default. */
function draftInput(config: WorkflowConfig): object {
  const fields: Readonly<Record<string, unknown>> = { ...config };
  const names = Object.keys(draftChange.shape);
  const all = Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return toGraphql(draftChange, all) as object;
}

const ID_AND_REVISION = '{ workflow { workflowId revision } }';
type Changed = { readonly workflow: { readonly workflowId: number; readonly revision: number } };

async function create(context: ApplyContext, name: string, config: WorkflowConfig): Promise<void> {
  const input = { name, draft: draftInput(config) };
  const { workflow } = await context.api.mutate<Changed>('createWorkflow', input, ID_AND_REVISION);
  context.workflowIds.set(name, workflow.workflowId);
  context.revisions.set(name, workflow.revision);
  context.drafts.set(name, config);
}

/**
 * Makes a configuration the draft. The change is rejected if somebody else changed the workflow since the plan.
 * @throws {ApiError} precondition_failed
 */
export async function setDraft(context: ApplyContext, name: string, config: WorkflowConfig): Promise<void> {
  if (isDeepStrictEqual(context.drafts.get(name), config)) return;
  const input = {
    workflowId: requiredId(context.workflowIds, name),
    draft: draftInput(config),
    ifRevision: requiredId(context.revisions, name),
  };
  const { workflow } = await context.api.mutate<Changed>('updateWorkflow', input, ID_AND_REVISION);
  context.revisions.set(name, workflow.revision);
  context.drafts.set(name, config);
}
