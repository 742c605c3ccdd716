import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import { Checkbox } from '../../ui/field.tsx';
import { useDeployments } from './deployment-names.tsx';

interface Props<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
  readonly hint: string;
}

/** A field of a form for several deployments. */
export function DeploymentChoice<Values extends FieldValues, Output>({ control, name, hint }: Props<Values, Output>) {
  const deployments = useDeployments();
  const { field, fieldState } = useController({ control, name });
  const selected: readonly string[] = field.value;
  const known = new Set(deployments.map(({ deploymentId }) => deploymentId));
  // Selected deployments that are not among the newest stay selected.
  const older = selected.filter((id) => !known.has(id)).map((deploymentId) => ({ deploymentId, name: deploymentId }));
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-sm font-medium">Deployments</legend>
      <p className="text-sm text-muted">{hint}</p>
      <div className="flex max-h-40 flex-col gap-1.5 overflow-y-auto p-1">
        {[...deployments, ...older].map(({ deploymentId, name: label }) => (
          <Checkbox
            key={deploymentId}
            label={label}
            checked={selected.includes(deploymentId)}
            onChange={({ target }) =>
              field.onChange(
                target.checked ? [...selected, deploymentId] : selected.filter((one) => one !== deploymentId),
              )
            }
          />
        ))}
      </div>
      {fieldState.error && (
        <p role="alert" className="text-sm text-danger">
          {fieldState.error.message}
        </p>
      )}
    </fieldset>
  );
}
