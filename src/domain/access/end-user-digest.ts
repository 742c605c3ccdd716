import type { EnvironmentRef } from '../caller.ts';
import type { SomeServices } from '../context.ts';

/**
 * Names an end user in the audit log, which nobody can change. An ID can be an email address, so the log has a keyed
 * digest of it.
 */
export function endUserDigest(
  { settings: { secretBox } }: SomeServices<'secretBox'>,
  environment: Pick<EnvironmentRef, 'id'>,
  endUser: string,
): string {
  return `end_user_${secretBox.digest(`${environment.id} ${endUser}`)}`;
}
