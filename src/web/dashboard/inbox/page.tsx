import { lazy, Suspense, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { LIMITS } from '../../../contract/limits.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { retried } from '../../ui/load.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { BADGE, playSound, SOUND } from '../alerts.ts';
import { DeploymentFilter, useDeployments } from '../deployment-names/deployment-names.tsx';
import { FilterSelect, Filters, isUuid } from '../frame/filters.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { TAKES_FOCUS, useFilter } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { usePermission } from '../session/session.ts';
import { neighbourOf, useKeys } from '../single-keys.ts';
import { INBOX } from './documents.ts';
import { type Entry, entriesOf } from './entries.ts';
import { AGES, NEEDS, useInboxFilter, useIsFiltered } from './inbox-filter.ts';
import { InboxList, useEntryHref } from './list.tsx';

const ConversationPane = lazy(async () => ({
  default: (await retried(() => import('../conversations/conversation-pane.tsx'))).ConversationPane,
}));

const ASSIGNEES = { me: 'You', nobody: 'Nobody' } as const;
const SIDES = [
  ['', 'Everybody'],
  ['member', 'Your team'],
  ['client', 'The client'],
] as const;

const RARE_FILTERS = [
  {
    label: 'Who can answer',
    names: ['answerable'],
    field: <FilterSelect name="answerable" label="Who can answer" options={SIDES} />,
  },
];

/** What waits for a person of the team, next to the conversation that is open. */
export function Page() {
  const deployments = useDeployments();
  const [opened] = useFilter('open');
  const isOpen = isUuid(opened);
  const canHandle = usePermission('conversations:handle');
  return (
    <PageFrame
      title="Inbox"
      lead="Conversations that wait for an answer, an approval, a budget or a person. Updates live."
      actions={<Alerts />}
    >
      <div className={isOpen ? 'max-lg:hidden' : ''}>
        <Filters rare={RARE_FILTERS}>
          <FilterSelect name="needs" label="Waits for" options={[['', 'Anything'], ...Object.entries(NEEDS)]} />
          <DeploymentFilter deployments={deployments} />
          <FilterSelect name="age" label="Has waited" options={[['', 'Any time'], ...Object.entries(AGES)]} />
          {canHandle && (
            <FilterSelect
              name="assignee"
              label="Assigned to"
              options={[['', 'Anybody'], ...Object.entries(ASSIGNEES)]}
            />
          )}
        </Filters>
      </div>
      <Panes deployments={deployments} opened={isOpen ? opened : ''} />
    </PageFrame>
  );
}

/** How the user learns of new entries. */
function Alerts() {
  const [hasSound, setSound] = SOUND.use();
  const [hasBadge, setBadge] = BADGE.use();
  const onSound = (isOn: boolean) => {
    setSound(isOn);
    // So the user knows the sound, and the browser allows it later.
    if (isOn) playSound();
  };
  return (
    <fieldset className="flex flex-wrap gap-4">
      <legend className="sr-only">Alerts in this browser</legend>
      <Checkbox label="Sound" checked={hasSound} onChange={({ target }) => onSound(target.checked)} />
      <Checkbox label="Number in the tab" checked={hasBadge} onChange={({ target }) => setBadge(target.checked)} />
    </fieldset>
  );
}

interface PanesProps {
  readonly deployments: ReturnType<typeof useDeployments>;
  /** The ID of the open conversation, or ''. */
  readonly opened: string;
}

/** The list and the open conversation. On a small screen one of them is visible. */
function Panes({ deployments, opened }: PanesProps) {
  const { variables, minutes } = useInboxFilter();
  const [first, setFirst] = useState<number>(LIMITS.pageSize / 2);
  const query = useServiceQuery(INBOX, { ...variables, first });
  const hrefOf = useEntryHref();
  const entries = query.data ? entriesOf(query.data, minutes) : [];
  const ids = entries.map(({ conversationId }) => conversationId);
  const move = useMove(ids, opened);
  useKeys({ j: () => move(1), k: () => move(-1), r: focusComposer });
  const nextId = neighbourOf(ids, opened, 1) ?? ids.find((id) => id !== opened);
  const next = entries.find(({ conversationId }) => conversationId === nextId);
  const hasMore = [query.data?.pendingActions, query.data?.conversations].some((list) => list?.pageInfo.hasNextPage);
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <section
        aria-label="List"
        className={`overflow-hidden rounded-xl border border-line bg-surface shadow-sm lg:below-header lg:fits-window ${opened ? 'max-lg:hidden' : ''}`}
      >
        <Loaded query={query}>
          {() => (entries.length > 0 ? <InboxList {...{ entries, deployments, opened }} /> : <Empty />)}
        </Loaded>
        {hasMore && <More {...{ first }} onMore={() => setFirst(LIMITS.pageSize)} />}
      </section>
      {opened ? (
        <div className="flex min-w-0 flex-col gap-4">
          <Link to={hrefOf('')} className="text-accent hover:underline lg:hidden">
            Back to the inbox
          </Link>
          <Suspense fallback={<Skeleton rows={6} />}>
            <ConversationPane key={opened} id={opened} next={next && <Next {...next} />} />
          </Suspense>
        </div>
      ) : (
        <p className="hidden rounded-xl border border-dashed border-edge/50 px-6 py-9 text-center text-muted lg:block">
          Choose a conversation. J and K open the next and the previous one.
        </p>
      )}
    </div>
  );
}

/** Opens the next entry after an answer. */
function Next({ conversationId, name }: Entry) {
  const hrefOf = useEntryHref();
  return (
    <Link to={hrefOf(conversationId)} state={TAKES_FOCUS} className="min-w-0 font-medium break-words underline">
      {`Next: ${name}`}
    </Link>
  );
}

function Empty() {
  const isFiltered = useIsFiltered();
  return (
    <p className="px-4 py-9 text-center text-balance text-muted">
      {isFiltered
        ? 'Nothing that waits matches these filters.'
        : 'Nothing waits. A conversation appears here when an assistant asks a question, or needs an approval, a budget or a person.'}
    </p>
  );
}

/** Shows the entries of the largest page. After that, those that wait longest must be answered first. */
function More({ first, onMore }: { readonly first: number; readonly onMore: () => void }) {
  return (
    <p className="border-t border-line p-3 text-center text-sm text-muted">
      {first < LIMITS.pageSize ? (
        <Button small onClick={onMore}>
          Show more
        </Button>
      ) : (
        'More conversations wait. Those that wait longest are shown.'
      )}
    </p>
  );
}

/** Opens the next or the previous entry, and the first one if the open conversation is not in the list. */
function useMove(ids: readonly string[], opened: string) {
  const [, navigate] = useLocation();
  const hrefOf = useEntryHref();
  return (step: 1 | -1) => {
    const id = neighbourOf(ids, opened, step);
    if (id !== undefined) navigate(hrefOf(id));
  };
}

function focusComposer() {
  document.querySelector<HTMLElement>('[data-composer] textarea')?.focus();
}
