import { Button } from '../../ui/button.tsx';
import { TextArea } from '../../ui/field.tsx';
import { jsonText, readJson } from './json.ts';

interface Props {
  readonly label: string;
  readonly hint?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error?: string | undefined;
  readonly placeholder?: string;
  readonly rows?: number;
}

/** JSON to be written, and put in order. */
export function JsonField({ value, onChange, rows = 5, ...rest }: Props) {
  const read = value.trim() === '' ? undefined : readJson(value);
  const tidy = read && read.problem === undefined ? jsonText(read.value) : value;
  return (
    <div className="flex flex-col items-start gap-1">
      <TextArea
        mono
        rows={Math.min(20, Math.max(rows, value.split('\n').length))}
        spellCheck={false}
        className="w-full"
        {...rest}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
      {tidy !== value && (
        <Button look="quiet" small onClick={() => onChange(tidy)}>
          Put in order
        </Button>
      )}
    </div>
  );
}
