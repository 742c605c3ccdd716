import { useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { SelectField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { useServiceMutation } from '../requests.ts';
import { ROTATE_KEY } from './documents.ts';
import type { KeyProps, SecretProps } from './key-dialogs.tsx';

const OVERLAPS: readonly (readonly [string, string])[] = [
  ['0', 'Not at all'],
  ['1', '1 hour'],
  ['4', '4 hours'],
  [String(LIMITS.rotationOverlapHours), `${LIMITS.rotationOverlapHours} hours`],
];

export function RotateDialog({ apiKey, onSecret, onClose }: KeyProps & SecretProps) {
  const { apiKeyId, name, masked, previousSecretExpiresAt } = apiKey;
  const { mutate, busy, error } = useServiceMutation(ROTATE_KEY);
  const [overlap, setOverlap] = useState(String(LIMITS.rotationOverlapHours));
  const overlapHours = Number(overlap);
  const confirm = async () => {
    const data = await mutate({ id: apiKeyId, overlapHours });
    if (data) onSecret({ name, secret: data.secret, previousEndsAt: data.apiKey.previousSecretExpiresAt });
  };
  return (
    <ConfirmDialog title={`Rotate ${name}?`} verb="Rotate" onConfirm={confirm} {...{ busy, error, onClose }}>
      <p>The key gets a new secret, which is shown once. Its name, scopes and limits do not change.</p>
      <SelectField
        label="The current secret still works"
        value={overlap}
        onChange={({ target }) => setOverlap(target.value)}
      >
        {OVERLAPS.map(([hours, label]) => (
          <option key={hours} value={hours}>
            {label}
          </option>
        ))}
      </SelectField>
      {overlapHours === 0 && (
        <Notice tone="warn">
          The current secret, {masked}, stops working immediately. Requests that use it get 401, and its open streams
          end.
        </Notice>
      )}
      {previousSecretExpiresAt && (
        <Notice tone="warn">The secret from before the last rotation stops working immediately.</Notice>
      )}
    </ConfirmDialog>
  );
}
