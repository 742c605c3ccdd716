import { type FormEvent, useState } from 'react';
import { AUDIT_ACTIONS } from '../../../contract/audit.ts';
import { Button } from '../../ui/button.tsx';
import { Badge } from '../../ui/notice.tsx';
import { Time } from '../../ui/time.tsx';
import { useFilter } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useReading } from '../requests.ts';
import { Expandable, ExpandableList, Fact, Facts } from '../shell/expandable.tsx';
import { FilterSelect, Filters } from '../shell/filters.tsx';
import { Loaded } from '../shell/loaded.tsx';
import { PageFrame } from '../shell/page-frame.tsx';
import { AUDIT_LOG, AUDIT_NAMES } from './documents.ts';
import { actorOf, type Entry, type Names, namesOf } from './names.ts';
import { sentenceOf } from './sentences.ts';

const ACTIONS = [['', 'All'], ...AUDIT_ACTIONS.map((action) => [action, action] as const)] as const;

export function Page() {
  const [asked] = useFilter('action');
  const [actorId] = useFilter('actor');
  const [subjectId] = useFilter('subject');
  const action = AUDIT_ACTIONS.find((one) => one === asked);
  const filter = { ...(action && { actions: [action] }), ...(actorId && { actorId }), ...(subjectId && { subjectId }) };
  const reading = useReading(AUDIT_LOG, { filter, ...usePosition() });
  const people = useReading(AUDIT_NAMES, {}).data;
  const names = namesOf(people);
  const actors = [
    ...(people?.members.nodes.map(({ userId, user }) => [userId, user.name] as const) ?? []),
    ...(people?.apiKeys.nodes.map(({ apiKeyId, name }) => [apiKeyId, `Key ${name}`] as const) ?? []),
  ];
  const isListed = actorId === '' || actors.some(([id]) => id === actorId);
  return (
    <PageFrame title="Audit log" lead="What was done in the workspace, in both of its environments.">
      <Filters>
        <FilterSelect label="Action" name="action" options={ACTIONS} />
        <FilterSelect
          label="Done by"
          name="actor"
          options={[['', 'Anybody'], ...actors, ...(isListed ? [] : [[actorId, actorId] as const])]}
        />
        <SubjectFilter />
      </Filters>
      <Loaded reading={reading}>
        {({ auditLog: { nodes, pageInfo } }) => (
          <div>
            {nodes.length === 0 ? (
              <p className="rounded-xl border border-dashed border-line p-8 text-center text-muted">
                Nothing of this kind was done.
              </p>
            ) : (
              <ExpandableList label="Audit log">
                {nodes.map((entry) => (
                  <AuditItem key={entry.auditEntryId} {...{ entry, names }} />
                ))}
              </ExpandableList>
            )}
            <Pager pageInfo={pageInfo} />
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
}

/** What it was done to, by its id: it is gone by when it is sent, so that typing asks for nothing. */
function SubjectFilter() {
  const [subject, setSubject] = useFilter('subject');
  const [typed, setTyped] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubject((typed ?? subject).trim());
    setTyped(undefined);
  };
  return (
    <form onSubmit={submit} className="flex min-w-0 items-end gap-2">
      <label className="flex min-w-0 flex-col gap-1 text-sm">
        <span className="font-medium">Done to</span>
        <input
          type="search"
          placeholder="An id"
          value={typed ?? subject}
          onChange={({ target }) => setTyped(target.value)}
          className="min-h-10 w-full min-w-0 rounded-lg border border-edge bg-surface px-3 text-base placeholder:text-muted md:w-72"
        />
      </label>
      <Button type="submit">Filter</Button>
    </form>
  );
}

function AuditItem({ entry, names }: { readonly entry: Entry; readonly names: Names }) {
  const { occurredAt, environment } = entry;
  return (
    <Expandable
      summary={
        <>
          <span className="min-w-0 flex-1 basis-60 break-words">{sentenceOf(entry, names)}</span>
          {environment && <Badge tone={environment === 'test' ? 'warn' : 'neutral'}>{environment}</Badge>}
          <span className="text-sm text-muted md:w-32 md:text-right">
            <Time at={occurredAt} />
          </span>
        </>
      }
    >
      <EntryFacts {...{ entry, names }} />
    </Expandable>
  );
}

function EntryFacts({ entry, names }: { readonly entry: Entry; readonly names: Names }) {
  const { action, occurredAt, actorId, subjectId, details, address, requestId } = entry;
  const [, setActor] = useFilter('actor');
  const [, setSubject] = useFilter('subject');
  return (
    <Facts>
      <Fact name="Action">
        <Id>{action}</Id>
      </Fact>
      <Fact name="When">
        <Id>{occurredAt}</Id>
      </Fact>
      <Fact name="Done by">
        {actorOf(entry, names)} {actorId && <Only id={actorId} of="by this one" onClick={() => setActor(actorId)} />}
      </Fact>
      {subjectId && (
        <Fact name="Done to">
          <Only id={subjectId} of="to this" onClick={() => setSubject(subjectId)} />
        </Fact>
      )}
      <Fact name="From">{address ?? 'The service itself'}</Fact>
      <Fact name="Request">
        <Id>{requestId}</Id>
      </Fact>
      {Object.keys(details).length > 0 && (
        <Fact name="Details">
          <pre className="overflow-x-auto whitespace-pre-wrap break-words font-mono text-sm">
            {JSON.stringify(details, null, 2)}
          </pre>
        </Fact>
      )}
    </Facts>
  );
}

const Id = ({ children }: { readonly children: string }) => (
  <span className="break-all font-mono text-sm">{children}</span>
);

interface OnlyProps {
  readonly id: string;
  readonly of: string;
  readonly onClick: () => void;
}

/** An id, and the way to all that has to do with it. */
function Only({ id, of, onClick }: OnlyProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Id>{id}</Id>
      <Button small look="quiet" onClick={onClick}>
        All done {of}
      </Button>
    </span>
  );
}
