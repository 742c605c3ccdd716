import type { ResultOf } from 'gql.tada';
import { APPROVAL_TOOL, RAISE_BUDGET_TOOL } from '../../../contract/client-tools.ts';
import { approvalOf } from '../../timeline/client-tools.ts';
import { titleOf } from '../../timeline/labels.ts';
import type { INBOX } from './documents.ts';

type Data = ResultOf<typeof INBOX>;
type Call = NonNullable<Data['pendingActions']>['nodes'][number];
type Handled = NonNullable<Data['conversations']>['nodes'][number];

/** A conversation that waits, with what it waits for. */
export interface Entry {
  readonly conversationId: string;
  readonly name: string;
  readonly deploymentId: string;
  readonly since: string;
  readonly isUrgent: boolean;
  /** What it waits for, in words. A turn can wait for several answers. */
  readonly needs: readonly string[];
  /** The name of the member who should answer. */
  readonly assignee: string | undefined;
}

/**
 * The conversations that have waited for so many minutes, each once: urgent ones first, then those that wait longest.
 */
export function entriesOf({ pendingActions, conversations }: Data, minutes: number): readonly Entry[] {
  const latest = new Date(Date.now() - minutes * 60_000).toISOString();
  const entries = new Map<string, Entry>();
  const all = [...(conversations?.nodes ?? []).map(ofPerson), ...(pendingActions?.nodes ?? []).flatMap(ofCall)];
  for (const entry of all) {
    const known = entries.get(entry.conversationId);
    entries.set(entry.conversationId, known ? together(known, entry) : entry);
  }
  return [...entries.values()]
    .filter(({ since }) => since <= latest)
    .sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent) || one.since.localeCompare(other.since));
}

function together(one: Entry, other: Entry): Entry {
  return {
    ...one,
    since: one.since.localeCompare(other.since) < 0 ? one.since : other.since,
    isUrgent: one.isUrgent || other.isUrgent,
    needs: [...one.needs, ...other.needs],
  };
}

function ofPerson({ handling, assignee, ...conversation }: Handled): Entry {
  const isWaiting = handling.mode === 'WAITING';
  const holder = handling.isMine ? 'You answer' : `${handling.member?.displayName} answers`;
  return {
    ...conversation,
    // A conversation that a person has, or that waits for one, has the time of this change.
    since: handling.since ?? '',
    isUrgent: isWaiting && handling.urgency === 'HIGH',
    needs: [isWaiting ? 'Waits for a person' : holder],
    assignee: nameOf(assignee),
  };
}

function ofCall({ conversation, waitingSince, ...call }: Call): readonly Entry[] {
  // It has been answered, or its conversation was deleted, while the list was read.
  if (!conversation || !waitingSince) return [];
  const { assignee, ...rest } = conversation;
  const needs = [labelOf(call)];
  return [{ ...rest, since: waitingSince, isUrgent: false, needs, assignee: nameOf(assignee) }];
}

const nameOf = (assignee: Handled['assignee']) => (assignee?.isMe ? 'You' : assignee?.displayName);

function labelOf({ name, arguments: args }: Pick<Call, 'name' | 'arguments'>): string {
  if (name === RAISE_BUDGET_TOOL) return 'Raise a budget';
  if (name !== APPROVAL_TOOL) return titleOf(name);
  const { tool } = approvalOf(args);
  // The service hides what an approval is about from viewers who cannot answer it.
  return tool === '' ? 'Approve an action' : `Approve “${tool}”`;
}
