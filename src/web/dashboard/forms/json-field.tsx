import type { ComponentProps } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { formatJson, parseJson } from './rules.ts';

interface Props extends Omit<ComponentProps<typeof TextArea>, 'value' | 'onChange' | 'mono' | 'className'> {
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly rows?: number;
}

/** A JSON editor with a button that formats the text. */
export function JsonField({ value, onChange, rows = 5, ...rest }: Props) {
  const parsed = parseJson(value);
  const formatted = parsed.problem === undefined ? formatJson(parsed.value) : value;
  return (
    <div className="flex flex-col items-start gap-1">
      <TextArea
        {...rest}
        mono
        rows={Math.min(20, Math.max(rows, value.split('\n').length))}
        spellCheck={false}
        className="w-full"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {formatted !== value && (
        <Button look="quiet" small onClick={() => onChange(formatted)}>
          Format
        </Button>
      )}
    </div>
  );
}
