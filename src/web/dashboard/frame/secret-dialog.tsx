import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';

interface Props {
  readonly title: string;
  /** The kind of secret, like "API key". */
  readonly label: string;
  readonly secret: string;
  /** What the secret is for, and what happens to the previous one. */
  readonly children: ReactNode;
  /** The user has stored the secret. The caller must drop it. */
  readonly onDone: () => void;
}

/** Shows a secret once. It stays open until the user confirms that they have stored it. */
export function SecretDialog({ title, label, secret, children, onDone }: Props) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog title={title}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-col gap-2">{children}</div>
        <div>
          <p className="mb-1 text-sm font-medium">{label}</p>
          <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-2 pl-3">
            <code className="min-w-0 flex-1 basis-60 select-all wrap-anywhere font-mono text-sm">{secret}</code>
            <CopyButton text={secret} />
          </div>
        </div>
        <Notice tone="warn">You cannot see it again. Store it now in a safe place.</Notice>
        <Checkbox label="I have stored it" checked={isStored} onChange={(event) => setStored(event.target.checked)} />
        <div className="flex justify-end">
          <Button look="primary" disabled={!isStored} onClick={onDone}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
