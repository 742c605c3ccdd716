import { useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { texts } from '../../texts/current.ts';
import { approvalOf } from '../../timeline/client-tools.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { useDraft } from '../drafts.ts';
import { ArgumentsView } from './arguments-view.tsx';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';
import { readObject } from './json-object.ts';

/** Approves or refuses a call of a server tool, with the model's arguments or with others. */
export function ApproveForm({
  call,
  address,
  rejection,
  onOutput,
  submit: _submit,
  viewer: _viewer,
  ...card
}: FormProps) {
  const t = texts().approval;
  const { tool, description, args, schema } = approvalOf(call.arguments);
  const [draft, setDraft] = useDraft<Draft>(address, { reason: '', edited: null });
  const [error, setError] = useState<string>();

  const approve = () => {
    const changed = draft.edited === null ? undefined : readObject(draft.edited);
    if (typeof changed === 'string') return setError(changed);
    setError(undefined);
    onOutput({ approved: true, ...(changed && { arguments: changed }), ...reasonOf(draft) });
  };
  const refuse = () => {
    setError(undefined);
    onOutput({ approved: false, ...reasonOf(draft) });
  };
  const edit = () => setDraft({ ...draft, edited: draft.edited === null ? JSON.stringify(args, null, 2) : null });
  const shown = error ?? (rejection && rejectionText(rejection, subjectOf(rejection.field)));
  return (
    <FormCard
      title={t.title(tool)}
      lead={
        <p className="mt-1 text-sm text-muted">
          <bdi>{description || t.lead}</bdi> {t.next}
        </p>
      }
      errors={shown ? [shown] : []}
      submit={t.approve}
      actions={
        <>
          <Button onClick={edit}>{draft.edited === null ? t.edit : t.undo}</Button>
          <Button onClick={refuse}>{t.refuse}</Button>
        </>
      }
      onSubmit={approve}
      {...card}
    >
      {draft.edited === null ? (
        <ArgumentsView {...{ args, schema }} />
      ) : (
        <TextArea
          label={texts().calls.arguments}
          hint={t.editHint}
          mono
          rows={6}
          spellCheck={false}
          autoCapitalize="off"
          value={draft.edited}
          onChange={(event) => setDraft({ ...draft, edited: event.target.value })}
        />
      )}
      <TextArea
        label={t.reason}
        hint={t.reasonHint}
        rows={2}
        maxLength={LIMITS.approvalReasonLength}
        value={draft.reason}
        onChange={(event) => setDraft({ ...draft, reason: event.target.value })}
      />
    </FormCard>
  );
}

interface Draft {
  readonly reason: string;
  /** Null: the arguments of the model. */
  readonly edited: string | null;
}

const reasonOf = ({ reason }: Draft) => (reason.trim() === '' ? {} : { reason: reason.trim() });

const subjectOf = (field: string) => (field === 'arguments' ? texts().approval.edited : texts().questions.theAnswer);
