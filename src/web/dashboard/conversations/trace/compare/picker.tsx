import { type FormEvent, useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { SelectField, TextField } from '../../../../ui/field.tsx';
import { exactTime } from '../../../../ui/time.tsx';
import { isUuid } from '../../../frame/filters.tsx';
import { runStatusLabel } from '../../../frame/run-badge.tsx';
import { useFilter } from '../../../location.ts';
import { useServiceQuery } from '../../../requests.ts';
import type { Run } from '../documents.ts';
import { EARLIER_TURNS } from './documents.ts';

/** Chooses the turn to compare with: an earlier turn of the conversation, or any turn by its ID. */
export function Picker({ runId, createdAt, conversation }: Pick<Run, 'runId' | 'createdAt' | 'conversation'>) {
  const [other, setOther] = useFilter('compare');
  const [id, setId] = useState('');
  const [error, setError] = useState<string>();
  const conversationId = conversation?.conversationId ?? '';
  const query = useServiceQuery(EARLIER_TURNS, { id: conversationId }, { pause: !conversation });
  const turns = (query.data?.conversation?.runs.nodes ?? []).filter(
    (turn) => turn.runId !== runId && Date.parse(turn.createdAt) < Date.parse(createdAt),
  );
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const value = id.trim().toLowerCase();
    const problem = problemOf(value, runId);
    setError(problem);
    if (problem) return;
    setId('');
    setOther(value);
  };
  return (
    <div className="flex flex-wrap items-end gap-4">
      <div className="min-w-0 grow basis-64">
        <SelectField
          label="Earlier turn of this conversation"
          value={turns.some((turn) => turn.runId === other) ? other : ''}
          onChange={({ target }) => setOther(target.value)}
        >
          <option value="">{turns.length === 0 ? 'No earlier turns' : 'Choose a turn'}</option>
          {turns.map((turn) => (
            <option key={turn.runId} value={turn.runId}>
              {`${exactTime(turn.createdAt)}, ${runStatusLabel(turn.status)}`}
            </option>
          ))}
        </SelectField>
      </div>
      <form onSubmit={onSubmit} noValidate className="flex min-w-0 grow basis-64 items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Or the ID of any turn"
            value={id}
            error={error}
            onChange={({ target }) => setId(target.value)}
          />
        </div>
        <Button type="submit">Compare</Button>
      </form>
    </div>
  );
}

function problemOf(id: string, runId: string): string | undefined {
  if (!isUuid(id)) return 'Enter the ID of a turn. "Details" on the page of its trace has it.';
  return id === runId ? 'Enter the ID of another turn.' : undefined;
}
