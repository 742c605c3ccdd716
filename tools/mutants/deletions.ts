import type { Mutant } from './mutant.ts';

const TEST = 'spec/deletions-in-use.test.ts';

/** Guards of the deletion of workflows, deployments and triggers. */
export const DELETIONS: readonly Mutant[] = [
  {
    name: 'a deployment is deleted without a lock against new conversations',
    file: 'domain/workflows/deployment-reads.ts',
    find: 'toDelete ? Prisma.sql`FOR UPDATE`',
    replace: 'toDelete ? Prisma.sql`FOR NO KEY UPDATE`',
    test: TEST,
  },
  {
    name: 'a trigger is deleted while a start claims it',
    file: 'domain/triggers/delete.ts',
    find: '\n      FOR UPDATE`',
    replace: '`',
    test: TEST,
  },
  {
    name: 'the error of a deletion shows IDs of objects that the caller cannot read',
    file: 'domain/dependants.ts',
    find: ' && scope !== undefined && caller.scopes.has(scope)',
    replace: ' && scope !== undefined',
    test: TEST,
  },
  {
    name: 'the error of a deletion shows IDs of the other environment',
    file: 'domain/dependants.ts',
    find: 'canRead = isOwn && scope',
    replace: 'canRead = scope',
    test: TEST,
  },
  {
    name: 'a start at a deployment that is deleted meanwhile is an internal error',
    file: 'domain/dependants.ts',
    find: 'throw isForeignKeyError(error) ? notFound() : error;',
    replace: 'throw error;',
    test: TEST,
  },
  {
    name: 'a key is bound to a deployment that is deleted meanwhile',
    file: 'domain/access/bound-deployments.ts',
    find: ' FOR KEY SHARE`',
    replace: '`',
    test: TEST,
  },
  {
    name: 'a one-shot run fails if its trigger is deleted meanwhile',
    file: 'domain/agent/rows/workflow-log.ts',
    find: 'logTurn(ctx, run, entry, trigger)',
    replace: 'logTurn(ctx, run, entry)',
    test: TEST,
  },
];
