import { type ReactNode, useId } from 'react';
import { texts } from '../../texts/current.ts';
import type { Question } from '../../timeline/client-tools.ts';
import { TextField } from '../../ui/field.tsx';
import type { AnswerDraft } from './answers.ts';

interface Props {
  readonly question: Question;
  readonly answer: AnswerDraft;
  readonly error: string | undefined;
  readonly onChange: (next: AnswerDraft) => void;
}

/** A question with options. "Other" lets the user write a different answer. */
export function ChoiceQuestion({ question, answer, error, onChange }: Props) {
  const id = useId();
  const t = texts().questions;
  const isMany = question.type === 'multi_select';
  const choose = (option: string, on: boolean) => {
    if (!isMany) return onChange({ ...answer, chosen: [option], other: false });
    const rest = answer.chosen.filter((one) => one !== option);
    onChange({ ...answer, chosen: on ? [...rest, option] : rest });
  };
  const chooseOther = (on: boolean) => onChange({ ...answer, chosen: isMany ? answer.chosen : [], other: on });
  const kind = { type: isMany ? 'checkbox' : 'radio', name: id, invalid: error !== undefined } as const;
  return (
    <fieldset
      data-question={question.id}
      aria-describedby={error ? `${id}-hint ${id}-error` : `${id}-hint`}
      className="flex min-w-0 flex-col gap-2"
    >
      <legend className="mb-1 text-sm font-medium">
        <bdi>{question.text}</bdi>
      </legend>
      <p id={`${id}-hint`} className="-mt-1 text-sm text-muted">
        {isMany ? t.many : t.one}
      </p>
      {question.options.map((option) => (
        <Option key={option} {...kind} checked={answer.chosen.includes(option)} onChange={(on) => choose(option, on)}>
          <bdi>{option}</bdi>
        </Option>
      ))}
      <Option {...kind} checked={answer.other} onChange={chooseOther}>
        {t.other}
      </Option>
      {answer.other && (
        <TextField
          label={t.otherAnswer}
          value={answer.text}
          onChange={(event) => onChange({ ...answer, text: event.target.value })}
        />
      )}
      {error && (
        <p id={`${id}-error`} className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}

interface OptionProps {
  readonly type: 'checkbox' | 'radio';
  readonly name: string;
  readonly checked: boolean;
  readonly invalid: boolean;
  readonly onChange: (on: boolean) => void;
  readonly children: ReactNode;
}

function Option({ type, name, checked, invalid, onChange, children }: OptionProps) {
  return (
    <label className="flex min-h-10 cursor-pointer items-center gap-3 rounded-lg border border-edge px-3 py-2 hover:bg-sunken has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-not-allowed has-disabled:opacity-60">
      <input
        {...{ type, name, checked }}
        aria-invalid={invalid || undefined}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 shrink-0 accent-accent"
      />
      <span className="min-w-0">{children}</span>
    </label>
  );
}
