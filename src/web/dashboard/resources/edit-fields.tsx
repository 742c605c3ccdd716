import { Button } from '../../ui/button.tsx';
import { Badge, Notice } from '../../ui/notice.tsx';
import { JsonField } from '../build/json-field.tsx';
import { LeavingGuard } from '../leaving.tsx';
import { Section } from '../shell/page-frame.tsx';
import { type FieldsEditing, type ResourceData, useFieldsEditing } from './editing.ts';

interface Props {
  readonly resource: ResourceData;
  readonly mayWrite: boolean;
}

/** The values of a resource, to be read and written as JSON. */
export function EditFields({ resource, mayWrite }: Props) {
  const editing = useFieldsEditing(resource);
  const { text, write, unsaved, problem, fault } = editing;
  const ofFields = fault?.param?.includes('fields') ? fault.message : undefined;
  return (
    <Section title="Fields">
      <fieldset disabled={!mayWrite} className="flex min-w-0 flex-col gap-4">
        <JsonField
          label="Values by name, as JSON"
          hint="Only the fields that you change are written. A field that is there cannot be taken away: set it to null."
          rows={10}
          value={text}
          error={problem ?? ofFields}
          onChange={write}
        />
        {mayWrite && <Save {...editing} />}
      </fieldset>
      <LeavingGuard unsaved={unsaved} />
    </Section>
  );
}

function Save({ unsaved, busy, fault, problem, theirs, save, discard }: FieldsEditing) {
  return (
    <>
      {theirs && <Conflict theirs={theirs} isWrong={problem !== undefined} />}
      {fault && !theirs && fault.code !== 'precondition_failed' && (
        <Notice tone="danger">Not saved: {fault.message}</Notice>
      )}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <span role="status">{unsaved ? <Badge tone="warn">Unsaved changes</Badge> : <Badge>All saved</Badge>}</span>
        <span className="flex gap-2">
          <Button disabled={!unsaved || busy} onClick={discard}>
            Discard
          </Button>
          <Button
            look="primary"
            busy={busy}
            disabled={!unsaved || problem !== undefined || theirs !== undefined}
            onClick={save}
          >
            Save fields
          </Button>
        </span>
      </div>
    </>
  );
}

interface ConflictProps {
  readonly theirs: NonNullable<FieldsEditing['theirs']>;
  readonly isWrong: boolean;
}

function Conflict({ theirs, isWrong }: ConflictProps) {
  const changed = theirs.changed.length > 0 ? ` Changed since: ${theirs.changed.join(', ')}.` : '';
  return (
    <Notice
      tone="warn"
      action={
        <span className="flex flex-wrap gap-2">
          <Button small onClick={theirs.load}>
            Load theirs
          </Button>
          <Button small look="danger" disabled={isWrong} onClick={theirs.overwrite}>
            Overwrite with mine
          </Button>
        </span>
      }
    >
      Somebody else, or an agent, has changed this resource since you began, so yours is not saved.{changed} Load theirs
      and lose what you wrote, or write your changes over theirs.
    </Notice>
  );
}
