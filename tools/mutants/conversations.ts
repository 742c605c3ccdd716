import type { Mutant } from './mutant.ts';

const CONDITIONS = 'domain/conversations/conditions.ts';
const RATE = 'domain/conversations/rate-message.ts';
const VIEWS = 'domain/access/workspaces/saved-views.ts';
const TRACE_READS = 'domain/agent/trace/reads.ts';
const SEARCH_TEST = 'spec/conversation-search.test.ts';
const ORDERS_TEST = 'spec/conversation-search-orders.test.ts';
const RATINGS_TEST = 'spec/ratings.test.ts';
const VIEWS_TEST = 'spec/saved-views.test.ts';
const STORAGE_TEST = 'spec/trace-storage.test.ts';

/**
 * Guards of searches, ratings, names, saved views and traces of conversations. Conditions on the environment that row-level
 * security repeats are not listed: removing one of the two changes nothing.
 */
export const CONVERSATIONS: readonly Mutant[] = [
  {
    name: 'a caller sees the arguments of an approval that the caller cannot answer',
    file: 'domain/conversations/visible-calls.ts',
    find: "!DECISION_TOOLS.includes(call.name ?? '') || canDecide",
    replace: "!DECISION_TOOLS.includes('') || canDecide",
    test: 'spec/approval-visibility.test.ts',
  },
  {
    name: 'a visitor answers an approval without an explicit word',
    file: 'domain/conversations/visible-calls.ts',
    find: "return caller.kind !== 'anonymous' || anonymous;",
    replace: "return caller.kind !== 'service' || anonymous;",
    test: 'spec/approval-visibility.test.ts',
  },
  {
    name: 'a caller without the scope sees an approval',
    file: 'domain/conversations/visible-calls.ts',
    find: "if (!caller.scopes.has('conversations:write')) return false;",
    replace: '',
    test: 'spec/approval-visibility.test.ts',
  },
  {
    name: 'a public deployment leaves open whether strangers approve',
    file: 'domain/workflows/publish.ts',
    find: 'if (deployments.some(isPublicDeployment)) requireExplicitApprovers(workflowConfig.parse(workflow.draft));',
    replace: 'void [deployments, isPublicDeployment, requireExplicitApprovers];',
    test: 'spec/approval-visibility.test.ts',
  },
  {
    name: 'a deployment becomes public whose version leaves open whether strangers approve',
    file: 'domain/workflows/deployment-changes.ts',
    find: 'await requireDecided(tx, before, settings);',
    replace: 'void requireDecided;',
    test: 'spec/approval-visibility.test.ts',
  },
  {
    name: 'two tools of an MCP server share an approval rule',
    file: 'domain/actions/approval.ts',
    find: 'one.tool === ruleName(tool)',
    replace: 'one.tool === tool.name || one.tool === ruleName(tool)',
    test: 'domain/approval-rules.test.ts',
  },
  {
    name: 'a list with a filter gets the total of all conversations',
    file: 'domain/conversations/positions.ts',
    find: 'if (Object.keys(others).length > 0 || reach?.endUser !== undefined) return undefined;',
    replace: '',
    test: 'spec/conversation-lists.test.ts',
  },
  {
    name: 'the list of conversations has those of other environments',
    file: CONDITIONS,
    find: 'Prisma.sql`c.environment_id = ${environment.id}::uuid`,',
    replace: 'Prisma.sql`${environment.id}::uuid IS NOT NULL`,',
    test: ORDERS_TEST,
  },
  {
    name: 'a search text that only excludes words is run',
    file: 'domain/conversations/search.ts',
    find: 'if (row?.isFindable) return;',
    replace: 'if (row) return;',
    test: SEARCH_TEST,
  },
  {
    name: 'a filter by cost needs no scope for usage',
    file: 'domain/conversations/filter.ts',
    find: "requireScope(caller, 'workflows:read');",
    replace: '',
    test: ORDERS_TEST,
  },
  {
    name: 'a message of a user can be rated',
    file: RATE,
    find: "if (role !== 'assistant') {",
    replace: "if (role === 'system') {",
    test: RATINGS_TEST,
  },
  {
    name: 'a message of another conversation can be rated',
    file: RATE,
    find: "where: { id: number, conversationId, kind: 'message' }",
    replace: "where: { id: number, kind: 'message' }",
    test: RATINGS_TEST,
  },
  {
    name: 'a comment is stored without a rating',
    file: RATE,
    find: '.refine(({ rating, comment }) => rating !== null || !comment?.trim(), {',
    replace: '.refine(({ rating, comment }) => rating !== null || comment !== null, {',
    test: RATINGS_TEST,
  },
  {
    name: 'ratings without credentials have no limit',
    file: RATE,
    find: "if (caller.kind === 'anonymous') {",
    replace: "if (caller.kind !== 'anonymous') {",
    test: RATINGS_TEST,
  },
  {
    name: 'a title of the model replaces the name that a user gave',
    file: 'domain/agent/run/title.ts',
    find: 'where: { id: conversation.id, name: given }',
    replace: 'where: { id: given && conversation.id }',
    test: 'spec/rename-conversation.test.ts',
  },
  {
    name: 'a saved view of another member can be changed',
    file: VIEWS,
    find: 'tx.savedView.findFirst({ where: { id, userId } })',
    replace: 'tx.savedView.findFirst({ where: { id, ...(userId === null && {}) } })',
    test: VIEWS_TEST,
  },
  {
    name: 'a member saves more views than the limit',
    file: VIEWS,
    find: '>= LIMITS.savedViews',
    replace: '> LIMITS.savedViews',
    test: VIEWS_TEST,
  },
  {
    name: 'two saved views have the same name',
    file: VIEWS,
    find: 'await requireFreeName(tx, userId, name);\n    const row',
    replace: 'const row',
    test: VIEWS_TEST,
  },
  {
    name: 'an expired trace is shown until it is deleted',
    file: TRACE_READS,
    find: 'AND r.updated_at + make_interval(days => coalesce(t.trace_days, ${LIMITS.defaultTraceDays})) > now()',
    replace: '',
    test: STORAGE_TEST,
  },
  {
    name: 'a trace is stored although the environment keeps no traces',
    file: 'domain/agent/trace/turn-trace.ts',
    find: '${LIMITS.defaultTraceDays}) > 0',
    replace: '${LIMITS.defaultTraceDays}) >= 0',
    test: STORAGE_TEST,
  },
  {
    name: 'a name of a conversation has invisible characters',
    file: 'domain/conversations/title.ts',
    find: "printableName(text.replace(/\\s+/g, ' '))",
    replace: "((name: string) => (printableName ? name : ''))(text.replace(/\\s+/g, ' '))",
    test: 'spec/rename-conversation.test.ts',
  },
  {
    name: 'conversations that change while a client reads pages are missing',
    file: 'domain/conversations/conversation-page.ts',
    find: '    : [...listed, ...(await changedSince(ctx, filter, changes, take - listed.length))];',
    replace: '    : listed;',
    test: 'spec/conversation-pages.test.ts',
  },
  {
    name: 'a page does not continue after the one before',
    file: 'domain/conversations/conversation-page.ts',
    find: "[{ values: last, operator: 'lt' }]",
    replace: "[{ values: last, operator: 'gt' }]",
    test: 'spec/conversation-pages.test.ts',
  },
];
