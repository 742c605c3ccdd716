import { DeleteButton } from '../frame/delete-button.tsx';
import { useGo } from '../location.ts';
import { DELETE_DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';

export function DeleteDeployment({ deploymentId, name }: Pick<DeploymentData, 'deploymentId' | 'name'>) {
  const go = useGo();
  return (
    <DeleteButton
      mutation={DELETE_DEPLOYMENT}
      variables={{ deploymentId }}
      title={`Delete ${name}?`}
      onDeleted={() => go('/deployments')}
    >
      <p>
        You cannot undo this. Its hosted page and its tokens of end users stop working. A deployment with conversations,
        triggers or API keys cannot be deleted: unpublish it instead.
      </p>
    </DeleteButton>
  );
}
