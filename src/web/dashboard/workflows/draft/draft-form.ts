import type { VariablesOf } from 'gql.tada';
import { createContext, useContext, useRef } from 'react';
import { get } from 'react-hook-form';
import type * as z from 'zod/mini';
import { type EditForm, useEditForm } from '../../forms/use-edit-form.ts';
import { useSend } from '../../requests.ts';
import { UPDATE_WORKFLOW } from '../documents.ts';
import { type BuiltInTool, type DraftValues, draftSchema, storedDraft, type WorkflowData } from './draft-values.ts';

type DraftInput = NonNullable<VariablesOf<typeof UPDATE_WORKFLOW>['input']['draft']>;

type ClientTool = DraftValues['clientTools'][number];

export interface DraftForm extends EditForm<DraftValues, z.output<typeof draftSchema>> {
  /** The settings of the tools that were turned off since the last save. */
  readonly removedTools: Map<BuiltInTool, ClientTool>;
}

/** The form of a workflow's draft. It belongs to the page, so switching tabs keeps unsaved changes. */
export function useNewDraftForm(workflow: WorkflowData): DraftForm {
  const { workflowId } = workflow;
  const send = useSend(UPDATE_WORKFLOW);
  const removed = useRef(new Map<BuiltInTool, ClientTool>());
  const form = useEditForm({
    schemaFor: () => draftSchema,
    stored: storedDraft(workflow),
    async save({ name, ...draft }, _base, version) {
      const { data, error } = await send({
        input: { workflowId: String(workflowId), ifRevision: Number(version), name, draft: draft as DraftInput },
      });
      if (error) return { error };
      removed.current.clear();
      return { saved: storedDraft(data.workflow) };
    },
    // The form shows one error for all resource tools, and calls the tool of an approval its name.
    mapField: (path) =>
      path
        .replace(/^resourceTools\..*/, 'resourceTools')
        .replace(/^(runBudget|conversationBudget)\..*/, '$1')
        .replace(/^(toolApprovals\.\d+)\.tool$/, '$1.name')
        .replace(/\.onExpiry\.output$/, '.expiryOutput'),
  });
  return { ...form, removedTools: removed.current };
}

export const DraftContext = createContext<DraftForm | null>(null);

/** The form of the draft, for any part of the page. */
export function useDraftForm(): DraftForm {
  const form = useContext(DraftContext);
  if (!form) throw new Error('useDraftForm needs a DraftContext.');
  return form;
}

/** Whether a field, or any field inside it, is invalid. */
export const isInvalid = ({ formState: { errors } }: DraftForm, path: string): boolean =>
  get(errors, path) !== undefined;
