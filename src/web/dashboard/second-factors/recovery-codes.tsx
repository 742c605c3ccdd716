import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';

interface Props {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

/** Shows recovery codes once, until the user confirms that they have stored them. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const [isStored, setStored] = useState(false);
  return (
    <div className="flex flex-col gap-4">
      <p>Each code replaces your second factor once, if you lose your device.</p>
      <ul aria-label="Recovery codes" className="rounded-lg border border-line bg-sunken p-3 font-mono text-sm">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} />
      <Notice tone="warn">You cannot see them again. Store them now in a safe place.</Notice>
      <Checkbox label="I have stored them" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
      <Button look="primary" disabled={!isStored} onClick={onDone}>
        Continue
      </Button>
    </div>
  );
}
