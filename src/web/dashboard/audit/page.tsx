import { type FormEvent, useState } from 'react';
import { AUDIT_ACTIONS } from '../../../contract/audit.ts';
import { enumNameOf, enumValueIn } from '../../../contract/enum-names.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge } from '../../ui/notice.tsx';
import { ExactTime, Time } from '../../ui/time.tsx';
import { Expandable, ExpandableList, Fact, Facts } from '../frame/expandable.tsx';
import { FilterSelect, Filters } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { useFilter } from '../location.ts';
import { Pager, usePosition } from '../paging.tsx';
import { useServiceQuery } from '../requests.ts';
import { AUDIT_LOG, AUDIT_NAMES } from './documents.ts';
import { actorOf, type Entry, type Names, namesOf } from './names.ts';
import { sentenceOf } from './sentences.ts';

const ACTIONS = [['', 'All'], ...AUDIT_ACTIONS.map((action) => [action, action] as const)] as const;

export function Page() {
  const [requested] = useFilter('action');
  const [actorId] = useFilter('actor');
  const [subjectId] = useFilter('subject');
  const action = AUDIT_ACTIONS.find((one) => one === requested);
  const filter = {
    ...(action && { actions: [enumNameOf(action)] }),
    ...(actorId && { actorId }),
    ...(subjectId && { subjectId }),
  };
  const query = useServiceQuery(AUDIT_LOG, { filter, ...usePosition() });
  const known = useServiceQuery(AUDIT_NAMES, {}).data;
  const names = namesOf(known);
  const actors = [
    ...(known?.members.nodes.map(({ userId, user }) => [userId, user.name] as const) ?? []),
    ...(known?.apiKeys.nodes.map(({ apiKeyId, name }) => [apiKeyId, `Key ${name}`] as const) ?? []),
  ];
  const isListed = actorId === '' || actors.some(([id]) => id === actorId);
  return (
    <PageFrame title="Audit log" lead="Changes and sign-ins in this workspace, in both environments.">
      <Filters>
        <FilterSelect label="Action" name="action" options={ACTIONS} />
        <FilterSelect
          label="Actor"
          name="actor"
          options={[['', 'All'], ...actors, ...(isListed ? [] : [[actorId, actorId] as const])]}
        />
        <SubjectFilter />
      </Filters>
      <Loaded query={query}>
        {({ auditLog: { nodes, pageInfo } }) => (
          <div>
            {nodes.length === 0 ? (
              <p className="rounded-xl border border-dashed border-line p-8 text-center text-muted">
                No entries match these filters.
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

/** Filters by the ID of the subject. It applies on submit, because a partial ID matches nothing. */
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
      <TextField
        label="Subject"
        type="search"
        placeholder="ID"
        className="min-w-0 flex-1"
        value={typed ?? subject}
        onChange={({ target }) => setTyped(target.value)}
      />
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
          {environment && (
            <Badge tone={environment === 'TEST' ? 'warn' : 'neutral'}>{environment === 'TEST' ? 'Test' : 'Live'}</Badge>
          )}
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
        <Id>{enumValueIn(AUDIT_ACTIONS, action)}</Id>
      </Fact>
      <Fact name="Time">
        <ExactTime at={occurredAt} />
      </Fact>
      <Fact name="Actor">
        {actorOf(entry, names)}{' '}
        {actorId && <FilterById id={actorId} label="Show all by this actor" onClick={() => setActor(actorId)} />}
      </Fact>
      {subjectId && (
        <Fact name="Subject">
          <FilterById id={subjectId} label="Show all for this subject" onClick={() => setSubject(subjectId)} />
        </Fact>
      )}
      <Fact name="IP address">{address ?? '– (action of the service)'}</Fact>
      <Fact name="Request ID">
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

interface FilterByIdProps {
  readonly id: string;
  readonly label: string;
  readonly onClick: () => void;
}

/** An ID with a button that filters the log by it. */
function FilterById({ id, label, onClick }: FilterByIdProps) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Id>{id}</Id>
      <Button small look="quiet" onClick={onClick}>
        {label}
      </Button>
    </span>
  );
}
