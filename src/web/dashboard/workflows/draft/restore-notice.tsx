import { useEffect, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Time } from '../../../ui/time.tsx';
import { useEnvironment } from '../../location.ts';
import { useMe } from '../../session/session.ts';
import type { DraftForm } from './draft-form.ts';
import { changedFields } from './draft-values.ts';
import { type DraftAddress, readUnsaved, removeUnsaved, storeUnsaved, type UnsavedDraft } from './unsaved-drafts.ts';

/** The unsaved changes of an earlier page, for example of an expired session. */
export interface UnsavedCopy {
  readonly found: UnsavedDraft | undefined;
  readonly restore: () => void;
  readonly discard: () => void;
}

/** Keeps unsaved changes in the browser until they are saved or discarded. */
export function useUnsavedCopy(workflowId: number, form: DraftForm): UnsavedCopy {
  const { user, workspace } = useMe();
  const environment = useEnvironment();
  const address = { workspaceId: workspace.workspaceId, environment, workflowId, userId: user.userId };
  const [found, setFound] = useState(() => readUnsaved(address));
  useStoredChanges(address, form, found === undefined);
  return {
    found,
    restore() {
      if (found) form.restore(found.base, found.values);
      setFound(undefined);
    },
    discard() {
      removeUnsaved(address);
      setFound(undefined);
    },
  };
}

/** Found changes stay stored until the user decides about them. */
function useStoredChanges(address: DraftAddress, { unsaved, values, base }: DraftForm, isDecided: boolean): void {
  const key = JSON.stringify(address);
  const text = JSON.stringify({ base, values });
  useEffect(() => {
    if (!isDecided) return;
    const at = JSON.parse(key) as DraftAddress;
    if (!unsaved) return removeUnsaved(at);
    storeUnsaved(at, JSON.parse(text) as Pick<UnsavedDraft, 'base' | 'values'>);
  }, [key, text, unsaved, isDecided]);
}

/** Offers to restore unsaved changes. */
export function RestoreNotice({ copy: { found, restore, discard } }: { readonly copy: UnsavedCopy }) {
  if (!found) return null;
  const action = (
    <span className="flex flex-wrap gap-2">
      <Button small look="primary" onClick={restore}>
        Restore changes
      </Button>
      <Button small onClick={discard}>
        Discard them
      </Button>
    </span>
  );
  return (
    <Notice tone="warn" action={action}>
      This browser has unsaved changes of yours from <Time at={found.changedAt} />:{' '}
      {changedFields(found.base.values, found.values).join(', ')}.
    </Notice>
  );
}
