import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';

interface Props {
  readonly title: string;
  /** What the secret is called. */
  readonly label: string;
  readonly secret: string;
  /** What it is for, and what becomes of the one before. */
  readonly children: ReactNode;
  /** It has been stored: whoever holds it forgets it. */
  readonly onDone: () => void;
}

/** Shows a secret, this once: it cannot be left before somebody has said that they have it. */
export function SecretDialog({ title, label, secret, children, onDone }: Props) {
  const [isStored, setStored] = useState(false);
  return (
    <Dialog title={title}>
      <div className="flex flex-col gap-4">
        <div className="flex flex-col gap-2">{children}</div>
        <div>
          <p className="mb-1 text-sm font-medium">{label}</p>
          <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line bg-sunken p-2 pl-3">
            <code className="min-w-0 flex-1 basis-60 select-all break-all font-mono text-sm">{secret}</code>
            <CopyButton text={secret} />
          </div>
        </div>
        <Notice tone="warn">It is not shown again. Store it now, where only those who need it can read it.</Notice>
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
