import { useEffect, useRef, useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { texts } from '../../texts/current.ts';
import { JsonView } from '../../timeline/json-view.tsx';
import { titleOf } from '../../timeline/labels.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { formatBytes } from '../../ui/numbers.ts';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';
import { readObject } from './json-object.ts';

/** What a member sends if the client does not return. */
const notAvailable = () => JSON.stringify({ error: texts().result.clientMissing }, null, 2);

/** The output of a tool without a form: the user enters a JSON object. */
export function CustomForm({ call, address, rejection, onOutput, viewer, ...card }: FormProps) {
  const [text, setText] = useDraft(address, '{\n  \n}');
  const [wasSubmitted, setSubmitted] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (rejection) area.current?.querySelector('textarea')?.focus();
  }, [rejection]);

  const t = texts().result;
  const output = readObject(text);
  const ownError = wasSubmitted && typeof output === 'string' ? output : undefined;
  const subject = rejection?.field ? `“${rejection.field}”` : t.theResult;
  const error = ownError ?? (rejection && rejectionText(rejection, subject));
  const onSubmit = () => {
    setSubmitted(true);
    if (typeof output !== 'string') return onOutput(output);
    area.current?.querySelector('textarea')?.focus();
  };
  const format = () => {
    setSubmitted(true);
    if (typeof output !== 'string') setText(JSON.stringify(output, null, 2));
  };
  return (
    <FormCard
      title={titleOf(call.name)}
      lead={<p className="mt-1 text-sm text-muted">{t.lead(call.name)}</p>}
      errors={error ? [error] : []}
      onSubmit={onSubmit}
      actions={viewer === 'member' && <Button onClick={() => setText(notAvailable())}>{t.fillInError}</Button>}
      {...card}
    >
      <JsonView label={texts().calls.arguments} value={call.arguments} />
      <div ref={area} className="flex flex-col items-start gap-2">
        <TextArea
          className="w-full"
          label={t.label}
          hint={t.hint(formatBytes(LIMITS.toolOutputBytes))}
          error={error}
          mono
          rows={6}
          required
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button small onClick={format}>
          {t.format}
        </Button>
      </div>
    </FormCard>
  );
}
