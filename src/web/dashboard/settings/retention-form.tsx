import type { ResultOf } from 'gql.tada';
import { type FormEvent, useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { faultAt } from '../fault.ts';
import { useEnvironment } from '../location.ts';
import { useChange } from '../requests.ts';
import { Fact, Facts } from '../shell/expandable.tsx';
import { FormDialog } from '../shell/form-dialog.tsx';
import { type ENVIRONMENT_SETTINGS, SET_RETENTION } from './documents.ts';

type Retention = ResultOf<typeof ENVIRONMENT_SETTINGS>['retention'];

const day = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** The day before which everything goes. */
const limitOfDays = (days: number) => day.format(new Date(Date.now() - days * 86_400_000));

const inDays = (days: number) => (days === 1 ? '1 day' : `${days.toLocaleString('en')} days`);

/** How long the environment keeps what was said: for ever, or for so many days. */
export function RetentionForm({ retention: { days } }: { readonly retention: Retention }) {
  const environment = useEnvironment();
  const [draft, setDraft] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [isSaved, setSaved] = useState(false);
  const { make, busy, fault, forget } = useChange(SET_RETENTION);
  const shown = draft ?? String(days ?? '');
  const next = shown === '' ? null : Number(shown);
  const change = (text: string) => {
    setDraft(text);
    setSaved(false);
    forget();
  };
  const save = async () => {
    const isSet = await make({ days: next });
    setAsking(false);
    if (!isSet) return;
    setDraft(undefined);
    setSaved(true);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Keeping more deletes nothing.
    if (next !== null && (days === null || next < days)) setAsking(true);
    else void save();
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p>
          {days === null
            ? `The ${environment} environment keeps everything for ever.`
            : `The ${environment} environment deletes conversations ${inDays(days)} after their last turn.`}
        </p>
        <TextField
          label="Days to keep conversations"
          hint="Counted from a conversation's last turn. Empty to keep them for ever."
          className="max-w-xs"
          type="number"
          inputMode="numeric"
          min={1}
          max={LIMITS.retentionDays}
          step={1}
          placeholder="For ever"
          value={shown}
          error={faultAt(fault, 'days') ?? fault?.message}
          onChange={({ target }) => change(target.value)}
        />
        {draft !== undefined && next !== null && next >= 1 && <WhatGoes days={next} />}
        {isSaved && <Notice tone="ok">Saved. The next sweep goes by it, within the minute.</Notice>}
        <div>
          <Button type="submit" look="primary" busy={busy} disabled={draft === undefined}>
            Save retention
          </Button>
        </div>
      </form>
      {isAsking && next !== null && (
        <Confirm days={next} onClose={() => setAsking(false)} onConfirm={save} busy={busy} />
      )}
    </>
  );
}

/** What is deleted, and when. */
function WhatGoes({ days }: { readonly days: number }) {
  return (
    <Notice tone="warn">
      <p>
        Conversations without a turn since {limitOfDays(days)} are deleted for ever within the minute, with all of their
        messages; and from then on each of them {inDays(days)} after its last turn, also where it still waits for its
        user.
      </p>
      <p className="mt-2">Triggers that expired as long ago go too. Resources, the event log and the audit log stay.</p>
    </Notice>
  );
}

interface ConfirmProps {
  readonly days: number;
  readonly busy: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function Confirm({ days, busy, onConfirm, onClose }: ConfirmProps) {
  const environment = useEnvironment();
  return (
    <FormDialog
      title={`Delete what is older than ${inDays(days)}?`}
      verb="Delete for ever"
      look="danger"
      fault={undefined}
      onSubmit={onConfirm}
      {...{ busy, onClose }}
    >
      <p>In the {environment} environment:</p>
      <WhatGoes days={days} />
      <p>Nobody can bring it back. Export the environment first if you may need it.</p>
    </FormDialog>
  );
}

/** What the last sweep did. */
export function LastSweep({ sweep }: { readonly sweep: Retention['lastSweep'] }) {
  if (!sweep) return <p className="text-muted">Nothing has been swept yet.</p>;
  const { startedAt, finishedAt, duration, days, conversations, triggers, workflowLogs } = sweep;
  const count = (number: number) => number.toLocaleString('en');
  return (
    <Facts>
      <Fact name="Began">
        <Time at={startedAt} />
      </Fact>
      <Fact name="Took">{finishedAt && duration !== null ? `${duration.toFixed(1)} s` : 'It is under way.'}</Fact>
      <Fact name="Went by">{inDays(days)}</Fact>
      <Fact name="Conversations deleted">{count(conversations)}</Fact>
      <Fact name="Triggers deleted">{count(triggers)}</Fact>
      <Fact name="Lines of the workflow log deleted">{count(workflowLogs)}</Fact>
    </Facts>
  );
}
