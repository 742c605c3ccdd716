import { useState } from 'react';
import type { JsonObject } from '../../../sdk/index.ts';
import { texts } from '../../texts/current.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';

/** Raises a budget that a turn waits for, or ends the turn. Only members see it. */
export function RaiseForm({
  call,
  address,
  rejection,
  onOutput,
  submit: _submit,
  viewer: _viewer,
  ...card
}: FormProps) {
  const t = texts().budgets;
  const { unit, limit, spent, needed } = call.arguments as Readonly<Record<string, string>>;
  const [draft, setDraft] = useDraft<{ readonly value: string }>(address, { value: '' });
  const [error, setError] = useState<string>();
  const isMoney = unit === 'money';
  const send = () => {
    const value = draft.value.trim();
    if (value !== '' && !(Number(value) > 0)) return setError(t.notNumber);
    setError(undefined);
    onOutput({ approved: true, ...raiseOf(value, isMoney) });
  };
  const shown = error ?? (rejection && rejectionText(rejection, t.add));
  return (
    <FormCard
      title={t.title}
      lead={
        <p className="mt-1 text-sm text-muted">
          {t.lead(String(spent), String(limit))} {t.needed(String(needed))}
        </p>
      }
      errors={shown ? [shown] : []}
      submit={t.raise}
      actions={<Button onClick={() => onOutput({ approved: false })}>{t.end}</Button>}
      onSubmit={send}
      {...card}
    >
      <TextField
        label={t.add}
        hint={t.addHint(isMoney ? t.amount : t.tokens)}
        inputMode={isMoney ? 'decimal' : 'numeric'}
        value={draft.value}
        onChange={(event) => setDraft({ value: event.target.value })}
      />
    </FormCard>
  );
}

const raiseOf = (value: string, isMoney: boolean): JsonObject =>
  value === '' ? {} : isMoney ? { amount: value } : { tokens: Number(value) };
