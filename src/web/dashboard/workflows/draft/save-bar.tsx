import { useEffect, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Badge, Notice } from '../../../ui/notice.tsx';
import { useEditing } from './context.ts';

/** What is not stored, and how it comes to be: it stays in view. */
export function SaveBar() {
  const { unsaved, busy, fault, theirs, save, discard } = useEditing();
  const isConflict = theirs !== undefined;
  const [refusals, setRefusals] = useState(0);
  // Once the field that is to blame is marked, which is when all that the refusal has changed is on the page.
  useEffect(() => {
    if (refusals > 0) document.querySelector<HTMLElement>('main [aria-invalid]')?.focus();
  }, [refusals]);
  const saveOrShow = async () => {
    if (!(await save())) setRefusals((before) => before + 1);
  };
  return (
    <div className="sticky bottom-0 z-10 -mx-4 flex flex-col gap-3 border-t border-line bg-canvas px-4 py-3 md:mx-0 md:px-0">
      {isConflict && <Conflict />}
      {fault && !isConflict && fault.code !== 'precondition_failed' && (
        <Notice tone="danger">Not saved: {fault.message}</Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span role="status">{unsaved ? <Badge tone="warn">Unsaved changes</Badge> : <Badge>All saved</Badge>}</span>
        <span className="flex gap-2">
          <Button disabled={!unsaved || busy} onClick={discard}>
            Discard
          </Button>
          <Button look="primary" disabled={!unsaved || isConflict} busy={busy} onClick={saveOrShow}>
            Save draft
          </Button>
        </span>
      </div>
    </div>
  );
}

function Conflict() {
  const { theirs } = useEditing();
  if (!theirs) return null;
  const changed = theirs.changed.length > 0 ? ` They changed: ${theirs.changed.join(', ')}.` : '';
  return (
    <Notice
      tone="warn"
      action={
        <span className="flex flex-wrap gap-2">
          <Button small onClick={theirs.load}>
            Load theirs
          </Button>
          <Button small look="danger" onClick={theirs.overwrite}>
            Overwrite with mine
          </Button>
        </span>
      }
    >
      Somebody else has saved this draft since you began, so yours is not saved.{changed} Load theirs and lose what you
      wrote, or overwrite theirs.
    </Notice>
  );
}
