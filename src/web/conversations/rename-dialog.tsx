import { type FormEvent, useState } from 'react';
import { LIMITS } from '../../contract/limits.ts';
import type { ParleyError } from '../../sdk/index.ts';
import { errorText } from '../messages/error-text.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';

interface Props {
  /** The current name. */
  readonly title: string;
  readonly onRename: (title: string) => Promise<void>;
  readonly onClose: () => void;
}

/** Asks for another name of a conversation. */
export function RenameDialog({ title, onRename, onClose }: Props) {
  const t = texts().page;
  const [name, setName] = useState(title);
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<string>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isSaving) return;
    if (name.trim() === title) return onClose();
    setSaving(true);
    onRename(name.trim()).then(onClose, (thrown: ParleyError) => {
      setSaving(false);
      setError(errorText(thrown));
    });
  };
  return (
    <Dialog title={t.renameTitle} onClose={onClose}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <TextField
          label={t.renameLabel}
          hint={t.renameHint(LIMITS.conversationNameLength)}
          error={error}
          value={name}
          maxLength={LIMITS.conversationNameLength}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setName(event.target.value)}
        />
        <DialogActions>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="primary" busy={isSaving} disabled={name.trim() === ''}>
            {t.save}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
