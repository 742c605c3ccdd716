import { Budgets } from '../budgets/budgets.tsx';
import { useEnvironment } from '../location.ts';
import type { DeploymentData } from './obstacles.ts';
import { SettingsSection } from './settings.tsx';

interface Props {
  readonly deployment: DeploymentData;
  readonly canWrite: boolean;
}

/** Who can use the deployment, how much, and what that may cost. */
export function AccessTab({ deployment, canWrite }: Props) {
  return (
    <>
      <SettingsSection {...{ deployment, canWrite }} />
      <DeploymentBudgets {...deployment} />
    </>
  );
}

/** Both environments run the deployment, and each has budgets of its own. */
function DeploymentBudgets({ deploymentId }: Pick<DeploymentData, 'deploymentId'>) {
  const environment = useEnvironment();
  return (
    <Budgets
      title="Budgets"
      place={{ deploymentId }}
      name="this deployment"
      empty={`The deployment has no budget in the ${environment} environment.`}
    />
  );
}
