import { DeleteButton } from '../frame/delete-button.tsx';
import { DELETE_TRIGGER } from './documents.ts';

export interface TriggerAddress {
  readonly deploymentId: string;
  readonly triggerId: string;
}

export function DeleteTrigger({ deploymentId, triggerId }: TriggerAddress) {
  return (
    <DeleteButton
      mutation={DELETE_TRIGGER}
      variables={{ deploymentId, triggerId }}
      title={`Delete the trigger ${triggerId}?`}
      label={`Delete ${triggerId}`}
      small
    >
      <p>You cannot undo this. Its link stops working. A trigger cannot be deleted while its conversation exists.</p>
    </DeleteButton>
  );
}
