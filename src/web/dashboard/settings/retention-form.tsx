import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { SET_RETENTION as RETENTION_SHAPE } from '../../../shapes/environment.ts';
import { Notice } from '../../ui/notice.tsx';
import { formatCount } from '../../ui/numbers.ts';
import { Time } from '../../ui/time.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { SaveBar } from '../forms/save-bar.tsx';
import { formRules } from '../forms/shape-rules.ts';
import { type Stored, useEditForm } from '../forms/use-edit-form.ts';
import { ConfirmDialog } from '../frame/confirm-dialog.tsx';
import { Fact, Facts } from '../frame/expandable.tsx';
import { useEnvironment } from '../location.ts';
import { useSend } from '../requests.ts';
import { type ENVIRONMENT_SETTINGS, SET_RETENTION } from './documents.ts';

type Retention = ResultOf<typeof ENVIRONMENT_SETTINGS>['retention'];

const dateFormat = new Intl.DateTimeFormat('en', { dateStyle: 'long' });

/** The date before which conversations are deleted. */
const cutoffDate = (days: number) => dateFormat.format(new Date(Date.now() - days * 86_400_000));

const formatDays = (days: number) => (days === 1 ? '1 day' : `${formatCount(days)} days`);

const { days: daysRule, traceDays: traceDaysRule } = formRules(RETENTION_SHAPE.fields);

const schema = z.object({
  days: daysRule,
  traceDays: traceDaysRule.check(z.refine((days) => days !== null, 'Enter 0 to keep no traces.')),
});

const storedOf = ({ days, traceDays }: Pick<Retention, 'days' | 'traceDays'>): Stored<z.input<typeof schema>> => ({
  version: `${days} ${traceDays}`,
  values: { days: String(days ?? ''), traceDays: String(traceDays) },
});

/** How long the environment keeps conversations. */
export function RetentionForm({ retention: { days, traceDays } }: { readonly retention: Retention }) {
  const environment = useEnvironment();
  const [isConfirming, setConfirming] = useState(false);
  const send = useSend(SET_RETENTION);
  const form = useEditForm({
    schemaFor: () => schema,
    stored: storedOf({ days, traceDays }),
    async save(input) {
      const { data, error } = await send(input);
      return error ? { error } : { saved: storedOf(data.retention) };
    },
  });
  const { control, values, unsaved, busy } = form;
  const next = schema.safeParse(values).data?.days ?? null;
  const save = async () => {
    const isSaved = await form.save();
    setConfirming(false);
    return isSaved;
  };
  const confirmOrSave = async () => {
    // A longer period deletes nothing.
    if (next === null || (days !== null && next >= days)) return save();
    setConfirming(true);
    return true;
  };
  return (
    <form noValidate className="flex flex-col gap-4">
      <p>
        {days === null
          ? `The ${environment} environment keeps all conversations.`
          : `The ${environment} environment deletes conversations ${formatDays(days)} after their last turn.`}
      </p>
      <FormTextField
        control={control}
        name="days"
        label="Days to keep conversations"
        hint="Counted from the last turn of a conversation. Leave empty to keep all conversations."
        className="max-w-xs"
        inputMode="numeric"
        placeholder="Keep all"
      />
      <FormTextField
        control={control}
        name="traceDays"
        label="Days to keep traces"
        hint={`Prompts, and arguments and results of server tools: 0 to ${LIMITS.traceDays} days. 0 keeps no traces.`}
        className="max-w-xs"
        inputMode="numeric"
      />
      {unsaved && next !== null && next !== days && <DeletionNotice days={next} />}
      <SaveBar verb="Save retention" form={{ ...form, save: confirmOrSave }} />
      {isConfirming && next !== null && (
        <ConfirmDialog
          title={`Delete conversations older than ${formatDays(next)}?`}
          verb="Delete permanently"
          busy={busy}
          onConfirm={save}
          onClose={() => setConfirming(false)}
        >
          <p>In the {environment} environment:</p>
          <DeletionNotice days={next} />
          <p>You cannot undo this. Export the environment first if you may need the data.</p>
        </ConfirmDialog>
      )}
    </form>
  );
}

/** Says what retention deletes, and when. */
function DeletionNotice({ days }: { readonly days: number }) {
  return (
    <Notice tone="warn">
      <p>
        Within a minute, conversations without a turn since {cutoffDate(days)} are permanently deleted with all their
        messages. From then on, a conversation is deleted {formatDays(days)} after its last turn, even if it still waits
        for the user.
      </p>
      <p className="mt-2">
        Triggers that expired more than {formatDays(days)} ago are deleted too. Resources, the event log and the audit
        log are kept.
      </p>
    </Notice>
  );
}

/** The result of the last sweep. */
export function LastSweep({ sweep }: { readonly sweep: Retention['lastSweep'] }) {
  if (!sweep) return <p className="text-muted">No sweep yet. The first one runs after you set retention.</p>;
  const { startedAt, finishedAt, duration, days, conversations, triggers, workflowLogs } = sweep;
  return (
    <Facts>
      <Fact name="Started">
        <Time at={startedAt} />
      </Fact>
      <Fact name="Duration">{finishedAt && duration !== null ? `${duration.toFixed(1)} s` : 'In progress'}</Fact>
      <Fact name="Retention">{formatDays(days)}</Fact>
      <Fact name="Conversations deleted">{formatCount(conversations)}</Fact>
      <Fact name="Triggers deleted">{formatCount(triggers)}</Fact>
      <Fact name="Workflow log entries deleted">{formatCount(workflowLogs)}</Fact>
    </Facts>
  );
}
