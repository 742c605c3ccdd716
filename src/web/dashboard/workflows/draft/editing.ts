import { useMemo, useState } from 'react';
import type { Fault } from '../../fault.ts';
import { faultAt } from '../../fault.ts';
import { useChange } from '../../requests.ts';
import type { WorkflowData } from '../data.ts';
import { UPDATE_WORKFLOW } from '../documents.ts';
import { type DraftForm, differences, formOf, sameForm } from './form.ts';
import { readForm } from './input.ts';

/** A draft under edit: what is written, against what is stored. */
export interface DraftEditing {
  readonly form: DraftForm;
  readonly change: (fields: Partial<DraftForm>) => void;
  /** Something that is written is not stored. */
  readonly unsaved: boolean;
  /** The revision that it is based on. */
  readonly revision: number;
  readonly busy: boolean;
  readonly fault: Fault | undefined;
  /** What is wrong with a field, by its path within the draft, or `name`. */
  readonly errorAt: (path: string) => string | undefined;
  /** Whether something is wrong with it, or within it. */
  readonly isFaulty: (path: string) => boolean;
  /** False where it is not stored: then there is a fault, a problem at a field, or somebody else's change. */
  readonly save: () => Promise<boolean>;
  readonly discard: () => void;
  /** Somebody else's change since then, where something is written here. */
  readonly theirs:
    | { readonly changed: readonly string[]; readonly load: () => void; readonly overwrite: () => void }
    | undefined;
}

interface Base {
  readonly revision: number;
  readonly form: DraftForm;
}

const baseOf = (workflow: Pick<WorkflowData, 'revision' | 'name' | 'draft'>): Base => ({
  revision: workflow.revision,
  form: formOf(workflow),
});

/** Edits a draft. Another's change is taken over at once where nothing is written here, and asked about where something is. */
export function useDraftEditing(workflow: WorkflowData): DraftEditing {
  const [base, setBase] = useState(() => baseOf(workflow));
  const [form, setForm] = useState(base.form);
  const { make, busy, fault, forget } = useChange(UPDATE_WORKFLOW);
  const { input, problems } = useMemo(() => readForm(form), [form]);
  const unsaved = !sameForm(form, base.form);
  const isBehind = workflow.revision > base.revision;
  const adopt = (next: Base) => {
    setBase(next);
    setForm(next.form);
  };
  if (isBehind && !unsaved && !busy) adopt(baseOf(workflow));

  const saveOver = async (ifRevision: number) => {
    if (problems.size > 0) return false;
    const data = await make({ workflowId: workflow.workflowId, input, ifRevision });
    if (!data) return false;
    const saved = baseOf(data.updateWorkflow);
    setBase(saved);
    // What was written meanwhile stays.
    setForm((now) => (now === form ? saved.form : now));
    return true;
  };
  const load = () => {
    forget();
    adopt(baseOf(workflow));
  };
  const errorAt = (path: string) => problems.get(path) ?? faultAt(fault, path === 'name' ? path : `draft.${path}`);
  const isFaulty = (path: string) =>
    [...problems.keys(), fault?.param?.replace(/^(input\.)?draft\./, '')].some((at) => at?.startsWith(path));
  return {
    ...{ form, unsaved, busy, fault, errorAt, isFaulty },
    revision: base.revision,
    change: (fields) => setForm((before) => ({ ...before, ...fields })),
    save: () => saveOver(base.revision),
    discard: () => {
      forget();
      setForm(base.form);
    },
    theirs:
      isBehind && unsaved && !busy
        ? {
            changed: differences(base.form, formOf(workflow)),
            load,
            overwrite: () => void saveOver(workflow.revision),
          }
        : undefined,
  };
}
