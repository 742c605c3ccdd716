import type { Mutant } from './mutant.ts';

const NOTES = 'domain/agent/handling/notes.ts';
const NOTES_TEST = 'spec/handling-notes.test.ts';
const FILTER = 'domain/conversations/assignment/filter.ts';
const ASSIGNMENT_TEST = 'spec/handling-assignment.test.ts';
const REPORT_TEST = 'spec/handling-report.test.ts';

/** Guards of notes, assignments and reports about conversations. */
export const TEAMWORK: readonly Mutant[] = [
  {
    name: 'end users read the notes about their conversations',
    file: 'graphql/schema/conversations/notes.ts',
    find: "access: { scope: 'conversations:handle', bound: 'inside' },",
    replace: '',
    test: NOTES_TEST,
  },
  {
    name: 'a conversation has notes without a limit',
    file: NOTES,
    find: 'WHERE counted.notes < ${LIMITS.conversationNotes}`;',
    replace: 'WHERE counted.notes < 1000000`;',
    test: NOTES_TEST,
  },
  {
    name: 'people who write at once exceed the limit of notes',
    file: NOTES,
    find: 'if (!(await touchConversation(ctx, tx, conversationId))) throw',
    replace: 'if (!(await tx.conversation.findFirst({ where: { id: conversationId } }))) throw',
    test: NOTES_TEST,
  },
  {
    name: 'a developer deletes the note of another member',
    file: NOTES,
    find: "if (caller.kind === 'session' && ADMINISTRATORS.includes(caller.role)) return;",
    replace: "if (caller.kind === 'session') return;",
    test: NOTES_TEST,
  },
  {
    name: 'a repeated request stores a note twice',
    file: NOTES,
    find: 'await recordEffect(tx, ctx.request.claim, added);',
    replace: '',
    test: 'spec/lost-claims.test.ts',
  },
  {
    name: 'exports of end users have the notes of the team',
    file: 'domain/exports/conversation.ts',
    find: "if (ctx.caller.scopes.has('conversations:handle')) yield*",
    replace: 'yield*',
    test: NOTES_TEST,
  },
  {
    name: 'conversations are assigned to members who cannot handle them',
    file: FILTER,
    find: ' AND m.role = ANY (${[...HANDLING_ROLES]}::role[])`;',
    replace: '`;',
    test: ASSIGNMENT_TEST,
  },
  {
    name: 'callers who cannot read assignees find conversations by them',
    file: FILTER,
    find: "if (assignee != null || isAssigned != null) requireScope(caller, 'conversations:handle');",
    replace: '',
    test: ASSIGNMENT_TEST,
  },
  {
    name: 'an assignment to a former member counts in filters',
    file: FILTER,
    find: 'const isToMember = Prisma.sql`c.assignee_id = ANY (${assignableIds(environment)})`;',
    replace: 'const isToMember = Prisma.sql`c.assignee_id IS NOT NULL`;',
    test: ASSIGNMENT_TEST,
  },
  {
    name: 'a missing member removes the assignment',
    file: 'domain/conversations/assignment/assign.ts',
    find: 'const { memberId } = parseInput(assignment, input);',
    replace: 'const { memberId = null } = parseInput(assignment, input);',
    test: ASSIGNMENT_TEST,
  },
  {
    name: 'the order by the time of a hand-over has conversations without one',
    file: 'domain/conversations/filter.ts',
    find: "if (handling && !handling.includes('assistant')) return;",
    replace: "if (!handling?.includes('assistant')) return;",
    test: 'spec/handling-queue.test.ts',
  },
  {
    name: 'a filter by the kind ANSWER finds approvals',
    file: 'domain/conversations/pending-calls.ts',
    find: 'return isAnswer ? Prisma.sql`name <> ALL (${tools})`',
    replace: 'return isAnswer ? Prisma.sql`true`',
    test: 'spec/handling-queue.test.ts',
  },
  {
    name: 'a report counts the hand-overs that a fork copied',
    file: 'domain/handling/report.ts',
    find: " AND handling -> 'isCopy' IS NULL",
    replace: '',
    test: REPORT_TEST,
  },
  {
    name: 'each message of a person is a first answer',
    file: 'domain/agent/handling/member-message.ts',
    find: '{ ...facts, holder });',
    replace: '{ ...facts, ...(since && { waitedSince: since }), holder });',
    test: REPORT_TEST,
  },
];
