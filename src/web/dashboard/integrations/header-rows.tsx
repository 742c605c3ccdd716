import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { type Fault, faultAt } from '../fault.ts';

/** A header as it is filled in; `key` tells rows apart. */
export interface HeaderRow {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

interface Props {
  readonly rows: readonly HeaderRow[];
  readonly onChange: (rows: readonly HeaderRow[]) => void;
  readonly fault: Fault | undefined;
}

/** Headers that are sent along. Their values are typed in here, and seen nowhere afterwards. */
export function HeaderRows({ rows, onChange, fault }: Props) {
  const change = (key: number, part: Partial<HeaderRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)));
  const key = Math.max(0, ...rows.map((row) => row.key)) + 1;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="text-sm font-medium">Headers</legend>
      <p className="text-sm text-muted">
        Sent along with each request, like Authorization. Values are sealed and never shown again.
      </p>
      {rows.map((row, index) => (
        <div key={row.key} className="flex items-start gap-2">
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-2">
            <TextField
              label={`Name of header ${index + 1}`}
              autoComplete="off"
              required
              value={row.name}
              error={faultAt(fault, `headers[${index}].name`)}
              onChange={(event) => change(row.key, { name: event.target.value })}
            />
            <TextField
              label={`Value of header ${index + 1}`}
              type="password"
              autoComplete="off"
              required
              value={row.value}
              error={faultAt(fault, `headers[${index}].value`)}
              onChange={(event) => change(row.key, { value: event.target.value })}
            />
          </div>
          <Button
            look="quiet"
            className="mt-6 px-2.5"
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(rows.filter((one) => one.key !== row.key))}
          >
            <Icon name="close" />
          </Button>
        </div>
      ))}
      {faultAt(fault, 'headers') && <Notice tone="danger">{fault?.message}</Notice>}
      <div>
        <Button small onClick={() => onChange([...rows, { key, name: '', value: '' }])}>
          <Icon name="plus" className="size-4" />
          Add a header
        </Button>
      </div>
    </fieldset>
  );
}

/** The fields that rows show faults of. */
export function fieldsOf(rows: readonly HeaderRow[]): string[] {
  return ['headers', ...rows.flatMap((_row, index) => [`headers[${index}].name`, `headers[${index}].value`])];
}

/** What the service is given of them. */
export function headersOf(rows: readonly HeaderRow[]): { name: string; value: string }[] {
  return rows.map(({ name, value }) => ({ name: name.trim(), value }));
}
