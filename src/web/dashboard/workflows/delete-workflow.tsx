import { DeleteButton } from '../frame/delete-button.tsx';
import { useGo } from '../location.ts';
import { DELETE_WORKFLOW } from './documents.ts';
import type { WorkflowData } from './draft/draft-values.ts';

interface Props {
  readonly workflow: Pick<WorkflowData, 'workflowId' | 'name' | 'revision'>;
  /** Discards unsaved changes of the draft. */
  readonly onDelete: () => void;
}

export function DeleteWorkflow({ workflow: { workflowId, name, revision }, onDelete }: Props) {
  const go = useGo();
  return (
    <DeleteButton
      mutation={DELETE_WORKFLOW}
      variables={{ workflowId: String(workflowId), ifRevision: revision }}
      title={`Delete ${name}?`}
      onDeleted={() => {
        onDelete();
        go('/workflows');
      }}
    >
      <p>
        You cannot undo this. Its draft and all its versions are deleted. A workflow with deployments cannot be deleted.
      </p>
    </DeleteButton>
  );
}
