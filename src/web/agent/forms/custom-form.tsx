import { useEffect, useRef, useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import type { JsonObject } from '../../../sdk/index.ts';
import { JsonView } from '../../timeline/json-view.tsx';
import { titleOf } from '../../timeline/words.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { sizeOf } from '../../ui/size.ts';
import { useDraft } from '../drafts.ts';
import { FormCard } from './form-card.tsx';
import { type FormProps, refusalText } from './form-props.ts';

/** The output of a tool of the deployment's own, for which no program answers here: a JSON object (SPEC 4.1). */
export function CustomForm({ call, place, refusal, onGive, ...card }: FormProps) {
  const [text, setText] = useDraft(place, '{\n  \n}');
  const [isTried, setTried] = useState(false);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (refusal) area.current?.querySelector('textarea')?.focus();
  }, [refusal]);

  const read = readObject(text);
  const own = isTried && typeof read === 'string' ? read : undefined;
  const error = own ?? (refusal && refusalText(refusal, refusal.field ? `“${refusal.field}”` : 'The result'));
  const onSubmit = () => {
    setTried(true);
    if (typeof read !== 'string') return onGive(read);
    area.current?.querySelector('textarea')?.focus();
  };
  const format = () => {
    setTried(true);
    if (typeof read !== 'string') setText(JSON.stringify(read, null, 2));
  };
  return (
    <FormCard
      title={titleOf(call.name)}
      lead={
        <p className="mt-1 text-sm text-muted">
          The assistant waits for the result of <code className="font-mono">{call.name}</code>.
        </p>
      }
      faults={error ? [error] : []}
      onSubmit={onSubmit}
      {...card}
    >
      <JsonView label="Arguments" value={call.arguments} />
      <div ref={area} className="flex flex-col items-start gap-2">
        <TextArea
          className="w-full"
          label="Result"
          hint={`Required. A JSON object, up to ${sizeOf(LIMITS.toolOutputBytes)}.`}
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

/** The object, or why there is none. */
function readObject(text: string): JsonObject | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The result is not valid JSON. Names and texts stand in double quotes.';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'The result must be a JSON object, like {"found": true}.';
  }
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  if (bytes <= LIMITS.toolOutputBytes) return value as JsonObject;
  return `The result has ${sizeOf(bytes)}. It may have up to ${sizeOf(LIMITS.toolOutputBytes)}.`;
}
