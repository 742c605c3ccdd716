import { useEffect, useRef, useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import type { JsonObject } from '../../../sdk/index.ts';
import { JsonView } from '../../timeline/json-view.tsx';
import { titleOf } from '../../timeline/labels.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { formatBytes } from '../../ui/numbers.ts';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, rejectionText } from './form-props.ts';

/** The output of a tool without a form: the user enters a JSON object (SPEC 4.1). */
export function CustomForm({ call, address, rejection, onOutput, ...card }: FormProps) {
  const [text, setText] = useDraft(address, '{\n  \n}');
  const [wasSubmitted, setSubmitted] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (rejection) area.current?.querySelector('textarea')?.focus();
  }, [rejection]);

  const output = readObject(text);
  const ownError = wasSubmitted && typeof output === 'string' ? output : undefined;
  const subject = rejection?.field ? `“${rejection.field}”` : 'The result';
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
      lead={
        <p className="mt-1 text-sm text-muted">
          The assistant is waiting for the result of <code className="font-mono">{call.name}</code>.
        </p>
      }
      errors={error ? [error] : []}
      onSubmit={onSubmit}
      {...card}
    >
      <JsonView label="Arguments" value={call.arguments} />
      <div ref={area} className="flex flex-col items-start gap-2">
        <TextArea
          className="w-full"
          label="Result"
          hint={`Required. A JSON object, up to ${formatBytes(LIMITS.toolOutputBytes)}.`}
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
          Format
        </Button>
      </div>
    </FormCard>
  );
}

/** The object, or an error text. */
function readObject(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The result is not valid JSON. Put names and texts in double quotes.';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The result must be a JSON object, like {"found": true}.';
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes <= LIMITS.toolOutputBytes) return value as JsonObject;
  return `The result is ${formatBytes(bytes)}. The limit is ${formatBytes(LIMITS.toolOutputBytes)}.`;
}
