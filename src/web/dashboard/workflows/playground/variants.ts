import type { WorkflowData } from '../draft/draft-values.ts';
import type { TestTarget } from './use-test.ts';

/** What a column runs. */
export interface Variant {
  /** `WORKFLOW:draft`, or `WORKFLOW:VERSION`. */
  readonly source: string;
  /** '' is the model of the draft or version. */
  readonly model: string;
}

export const draftOf = (workflowId: number): string => `${workflowId}:draft`;

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The draft of the workflow, its versions, and the drafts of other workflows. */
export function choicesOf(
  { workflowId, versions }: WorkflowData,
  others: readonly { readonly workflowId: number; readonly name: string }[],
): readonly Choice[] {
  const ownVersions = versions.nodes.map(({ number }) => ({
    value: `${workflowId}:${number}`,
    label: `Version ${number}`,
  }));
  const drafts = others
    .filter((other) => other.workflowId !== workflowId)
    .map((other) => ({ value: draftOf(other.workflowId), label: `Draft of ${other.name}` }));
  return [{ value: draftOf(workflowId), label: 'Saved draft' }, ...ownVersions, ...drafts];
}

export function targetOf({ source, model }: Variant): Pick<TestTarget, 'workflowId' | 'version' | 'model'> {
  const [workflowId = '', version] = source.split(':');
  return {
    workflowId,
    version: version === 'draft' ? null : Number(version),
    model: model.trim() || null,
  };
}
