import { type MouseEvent, useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import type { RequestError } from '../request-error.ts';

interface ConflictProps {
  /** What somebody else changed, like "This draft". */
  readonly subject: string;
  /** The names of the fields that somebody else changed. */
  readonly changed: readonly string[];
  readonly load: () => void;
  readonly overwrite: () => void;
}

interface Props {
  /** The label of the save button. */
  readonly verb: string;
  readonly form: {
    readonly unsaved: boolean;
    readonly busy: boolean;
    readonly error: RequestError | undefined;
    readonly save: () => Promise<boolean>;
    readonly discard: () => void;
  };
  /** Whether a value is invalid, so saving is not possible. */
  readonly disabled?: boolean;
  readonly conflict?: ConflictProps | undefined;
}

/** The buttons that save or discard changes, and the reason why the last save failed. */
export function SaveBar({ verb, form: { unsaved, busy, error, save, discard }, disabled = false, conflict }: Props) {
  const [rejections, setRejections] = useState(0);
  // The effect runs after the render that marks the invalid field and opens the part of the page that contains it.
  useEffect(() => {
    if (rejections > 0) document.querySelector<HTMLElement>('main [aria-invalid]')?.focus();
  }, [rejections]);
  const saveOrFocus = async (event: MouseEvent) => {
    // In a form the Enter key clicks this button. The browser must not submit the form itself.
    event.preventDefault();
    if (!(await save())) setRejections((count) => count + 1);
  };
  return (
    <>
      {conflict && <ConflictNotice {...conflict} />}
      {error && !conflict && error.code !== 'precondition_failed' && (
        <Notice tone="danger">Not saved: {error.message}</Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span role="status">
          {unsaved ? <Badge tone="warn">Unsaved changes</Badge> : <Badge>All changes saved</Badge>}
        </span>
        <span className="flex gap-2">
          <Button disabled={!unsaved || busy} onClick={discard}>
            Discard
          </Button>
          <Button
            type="submit"
            look="primary"
            disabled={!unsaved || disabled || conflict !== undefined}
            busy={busy}
            onClick={saveOrFocus}
          >
            {verb}
          </Button>
        </span>
      </div>
    </>
  );
}

function ConflictNotice({ subject, changed, load, overwrite }: ConflictProps) {
  const action = (
    <span className="flex flex-wrap gap-2">
      <Button small onClick={load}>
        Load their changes
      </Button>
      <Button small look="danger" onClick={overwrite}>
        Overwrite with mine
      </Button>
    </span>
  );
  return (
    <Notice tone="warn" action={action}>
      {subject} has changed since you started, so your changes are not saved.
      {changed.length > 0 && ` Changed since then: ${changed.join(', ')}.`} Load the other changes and lose yours, or
      overwrite them.
    </Notice>
  );
}
