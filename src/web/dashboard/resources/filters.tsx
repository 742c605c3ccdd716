import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { readJson } from '../build/json.ts';
import { useGo } from '../location.ts';

interface Props {
  readonly type: string;
  readonly name: string;
  readonly value: string;
}

/** What the address asks for, to be asked otherwise. */
export function Filters(asked: Props) {
  const [form, setForm] = useState(asked);
  const [isChecked, setChecked] = useState(asked.name !== '');
  const go = useGo();
  const read = readJson(form.value);
  const problem = form.name !== '' && read.problem ? 'This is not JSON. Texts stand in quotes: "Ann".' : undefined;
  const nameless = form.name === '' && form.value !== '' ? 'Which field is to have this value?' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (problem || nameless) return;
    go('/resources', {
      ...(form.type ? { type: form.type } : {}),
      ...(form.name ? { field: form.name, value: form.value } : {}),
    });
  };
  const set = (fields: Partial<Props>) => setForm({ ...form, ...fields });
  return (
    <form onSubmit={submit} className="flex flex-wrap items-start gap-3">
      <TextField
        label="Type"
        placeholder="Any"
        className="flex-1 basis-36"
        value={form.type}
        onChange={(event) => set({ type: event.target.value })}
      />
      <TextField
        label="Field"
        placeholder="Any"
        className="flex-1 basis-36"
        value={form.name}
        error={isChecked ? nameless : undefined}
        onChange={(event) => set({ name: event.target.value })}
      />
      <TextField
        label="Value as JSON"
        placeholder={'"Ann", 42, true, null'}
        className="flex-1 basis-48"
        value={form.value}
        error={isChecked ? problem : undefined}
        onChange={(event) => set({ value: event.target.value })}
      />
      <div className="flex gap-2 pt-6">
        <Button type="submit">Filter</Button>
        {(asked.type || asked.name) && (
          <Button look="quiet" onClick={() => go('/resources')}>
            Show all
          </Button>
        )}
      </div>
    </form>
  );
}
