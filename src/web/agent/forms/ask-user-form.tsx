import { useEffect, useRef, useState } from 'react';
import { type Question, questionsOf } from '../../timeline/client-tools.ts';
import { TextArea } from '../../ui/field.tsx';
import { useDraft } from '../drafts.ts';
import { type AnswerDraft, type AnswerDrafts, faultOf, NO_ANSWER, outputOf, questionAt } from './answers.ts';
import { ChoiceQuestion } from './choice-question.tsx';
import { FormCard } from './form-card.tsx';
import { type FormProps, refusalText } from './form-props.ts';

/** The questions of ask_user as a form. */
export function AskUserForm({ call, place, refusal, onGive, ...card }: FormProps) {
  const questions = questionsOf(call.arguments);
  const [answers, setAnswers] = useDraft<AnswerDrafts>(place, {});
  const [isTried, setTried] = useState(false);
  const fields = useRef<HTMLDivElement>(null);
  const refusedId = refusal && questionAt(questions, refusal.field)?.id;
  useEffect(() => {
    if (refusal && refusedId) focusOn(fields.current, refusedId);
  }, [refusal, refusedId]);

  const errorOf = (question: Question) => {
    const own = isTried ? faultOf(question, answers[question.id] ?? NO_ANSWER) : undefined;
    return (
      own ??
      (refusal && question.id === refusedId ? refusalText(refusal, `The answer to “${question.text}”`) : undefined)
    );
  };
  const change = (id: string) => (next: AnswerDraft) => setAnswers({ ...answers, [id]: next });
  const onSubmit = () => {
    const open = questions.find((question) => faultOf(question, answers[question.id] ?? NO_ANSWER));
    setTried(true);
    if (open) return focusOn(fields.current, open.id);
    onGive(outputOf(questions, answers));
  };
  const faults = questions.flatMap((question) => errorOf(question) ?? []);
  const lead = (
    <p className="mt-1 text-sm text-muted">
      {questions.length === 1 ? 'One question' : `${questions.length} questions`} before the assistant goes on.
    </p>
  );
  return (
    <FormCard
      title="The assistant has questions"
      lead={lead}
      faults={refusal && !refusedId ? [refusalText(refusal, 'What was sent'), ...faults] : faults}
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
        hint="Required."
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
  // What is written for "something else", where that is what is missing.
  const control = group?.querySelector<HTMLElement>('input[type="text"], input:not([type])') ?? undefined;
  (control ?? group?.querySelector<HTMLElement>('textarea, input'))?.focus();
}
