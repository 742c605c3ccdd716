import type { ResultOf } from 'gql.tada';
import { type FormEvent, useState } from 'react';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import { OtherFault } from '../shell/other-fault.tsx';
import { type ENVIRONMENT_SETTINGS, SET_LIMITS } from './documents.ts';

type Limits = ResultOf<typeof ENVIRONMENT_SETTINGS>['environmentLimits'];

/** As it is typed: '' is no limit. */
type Draft = Readonly<Record<keyof Limits, string>>;

const draftOf = ({ requestsPerMinute, concurrentRuns }: Limits): Draft => ({
  requestsPerMinute: String(requestsPerMinute ?? ''),
  concurrentRuns: String(concurrentRuns ?? ''),
});

const limitOf = (text: string) => (text === '' ? null : Number(text));

/** What the environment is limited to, for all of its callers together. */
export function LimitsForm({ limits }: { readonly limits: Limits }) {
  const [draft, setDraft] = useState<Draft>();
  const [isSaved, setSaved] = useState(false);
  const { make, busy, fault } = useChange(SET_LIMITS);
  const shown = draft ?? draftOf(limits);
  const change = (part: Partial<Draft>) => {
    setDraft({ ...shown, ...part });
    setSaved(false);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { requestsPerMinute, concurrentRuns } = shown;
    const input = { requestsPerMinute: limitOf(requestsPerMinute), concurrentRuns: limitOf(concurrentRuns) };
    if (!(await make({ input }))) return;
    setDraft(undefined);
    setSaved(true);
  };
  const number = { type: 'number', inputMode: 'numeric', min: 1, step: 1, placeholder: 'No limit' } as const;
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">
        For all callers together, keys, members and visitors. What is over a limit is answered 429. Empty for no limit.
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          {...number}
          label="Requests a minute"
          max={LIMITS.ratePerMinute}
          value={shown.requestsPerMinute}
          error={faultAt(fault, 'requestsPerMinute')}
          onChange={({ target }) => change({ requestsPerMinute: target.value })}
        />
        <TextField
          {...number}
          label="Turns at work at once"
          max={LIMITS.concurrentRuns}
          value={shown.concurrentRuns}
          error={faultAt(fault, 'concurrentRuns')}
          onChange={({ target }) => change({ concurrentRuns: target.value })}
        />
      </div>
      <OtherFault fault={fault} shownAt={['requestsPerMinute', 'concurrentRuns']} />
      {isSaved && <Notice tone="ok">Saved. It holds from the next request on.</Notice>}
      <div>
        <Button type="submit" look="primary" busy={busy} disabled={!draft}>
          Save limits
        </Button>
      </div>
    </form>
  );
}
