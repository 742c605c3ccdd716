import { useEffect, useRef, useState } from 'react';
import { texts } from '../../texts/current.ts';
import { type Question, questionsOf } from '../../timeline/client-tools.ts';
import { TextArea } from '../../ui/field.tsx';
import { useDraft } from '../drafts.ts';
import { type AnswerDraft, type AnswerDrafts, answerError, NO_ANSWER, outputOf, questionAt } from './answers.ts';
import { ChoiceQuestion } from './choice-question.tsx';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';

/** The questions of ask_user as a form. */
export function AskUserForm({ call, address, rejection, onOutput, viewer: _, ...card }: FormProps) {
  const t = texts().questions;
  const questions = questionsOf(call.arguments);
  const [answers, setAnswers] = useDraft<AnswerDrafts>(address, {});
  const [wasSubmitted, setSubmitted] = useState(false);
  const fields = useRef<HTMLDivElement>(null);
  const rejectedId = rejection && questionAt(questions, rejection.field)?.id;
  useEffect(() => {
    if (rejection && rejectedId) focusOn(fields.current, rejectedId);
  }, [rejection, rejectedId]);

  const errorOf = (question: Question) => {
    const ownError = wasSubmitted ? answerError(question, answers[question.id] ?? NO_ANSWER) : undefined;
    return (
      ownError ??
      (rejection && question.id === rejectedId ? rejectionText(rejection, t.answerOf(question.text)) : undefined)
    );
  };
  const change = (id: string) => (next: AnswerDraft) => setAnswers({ ...answers, [id]: next });
  const onSubmit = () => {
    const incomplete = questions.find((question) => answerError(question, answers[question.id] ?? NO_ANSWER));
    setSubmitted(true);
    if (incomplete) return focusOn(fields.current, incomplete.id);
    onOutput(outputOf(questions, answers));
  };
  const errors = questions.flatMap((question) => errorOf(question) ?? []);
  const lead = (
    <p className="mt-1 text-sm text-muted">{questions.length === 1 ? t.answerOne : t.answerMany(questions.length)}</p>
  );
  return (
    <FormCard
      title={t.title}
      lead={lead}
      errors={rejection && !rejectedId ? [rejectionText(rejection, t.theAnswer), ...errors] : errors}
      onSubmit={onSubmit}
      {...card}
    >
      <div ref={fields} className="flex min-w-0 flex-col gap-6">
        {questions.map((question) => (
          <QuestionField
            key={question.id}
            question={question}
            answer={answers[question.id] ?? NO_ANSWER}
            error={errorOf(question)}
            onChange={change(question.id)}
          />
        ))}
      </div>
    </FormCard>
  );
}

interface FieldProps {
  readonly question: Question;
  readonly answer: AnswerDraft;
  readonly error: string | undefined;
  readonly onChange: (next: AnswerDraft) => void;
}

function QuestionField(props: FieldProps) {
  const { question, answer, error, onChange } = props;
  if (question.type !== 'text') return <ChoiceQuestion {...props} />;
  return (
    <div data-question={question.id}>
      <TextArea
        label={question.text}
        hint={texts().questions.required}
        error={error}
        required
        rows={2}
        value={answer.text}
        onChange={(event) => onChange({ ...answer, text: event.target.value })}
      />
    </div>
  );
}

function focusOn(fields: HTMLElement | null, id: string): void {
  const group = fields?.querySelector<HTMLElement>(`[data-question="${CSS.escape(id)}"]`);
  // For the option "Other": its text field.
  const control = group?.querySelector<HTMLElement>('input[type="text"], input:not([type])') ?? undefined;
  (control ?? group?.querySelector<HTMLElement>('textarea, input'))?.focus();
}
