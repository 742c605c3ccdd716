import { ServiceError } from '../../contract/errors.ts';
import type { DeploymentSettings } from '../../shapes/workflows.ts';
import type { Context } from '../context.ts';

/**
 * Requires that the caller may replace turns and fork conversations. Members and keys always may.
 * @throws {ServiceError} forbidden
 */
export function requireEditing(
  { caller }: Pick<Context, 'caller'>,
  { allowEditing }: Pick<DeploymentSettings, 'allowEditing'>,
): void {
  if (allowEditing || (caller.kind !== 'anonymous' && caller.kind !== 'end_user')) return;
  throw new ServiceError(
    'forbidden',
    'This deployment does not let its users edit messages, regenerate replies or fork conversations.',
  );
}
