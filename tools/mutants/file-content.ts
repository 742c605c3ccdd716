import type { Mutant } from './mutant.ts';

const LOST_TEST = 'spec/lost-content.test.ts';

/** Guards of stored bytes, and of their check. */
export const FILE_CONTENT: readonly Mutant[] = [
  {
    name: 'an upload uses bytes that the storage has lost',
    file: 'domain/files/check.ts',
    find: 'return known && (await findFault(storage, known)) ? known.storageKey : null;',
    replace: 'return known ? null : null;',
    test: LOST_TEST,
  },
  {
    name: 'lost parts of an upload are an internal error',
    file: 'domain/files/check.ts',
    find: 'const lost = error instanceof MissingBytesError && !isDirect(services, row);',
    replace: 'const lost = false;',
    test: LOST_TEST,
  },
  {
    name: 'lost bytes of a file are not noticed',
    file: 'domain/files/content-faults.ts',
    find: 'if (fault) throw contentMissing();',
    replace: '',
    test: LOST_TEST,
  },
  {
    name: 'changed bytes of a file count as readable',
    file: 'domain/files/content-faults.ts',
    find: "return fault === 'wrong_hash' ? fault : null;",
    replace: 'return null;',
    test: LOST_TEST,
  },
  {
    name: 'nobody is informed about lost bytes',
    file: 'domain/files/content-faults.ts',
    find: 'if (content) await auditContent(tx, environmentId, content.id, fault);',
    replace: '',
    test: LOST_TEST,
  },
  {
    name: 'the bytes of an environment of another database are deleted',
    file: 'domain/files/verify.ts',
    find: 'if (!isKnown || !this.#options.repair) continue;',
    replace: 'if (!this.#options.repair) continue;',
    test: LOST_TEST,
  },
  {
    name: 'the parts of an upload are deleted',
    file: 'domain/files/verify.ts',
    find: 'AND names[3] = ANY (file.parts))',
    replace: 'AND false)',
    test: LOST_TEST,
  },
  {
    name: 'the embedded database writes no checkpoint while it runs',
    file: 'db/embedded/checkpoints.ts',
    find: "if (isDue) await connection.query('CHECKPOINT');",
    replace: '',
    test: 'db/housekeeping.test.ts',
  },
  {
    name: 'the embedded database has no statistics',
    file: 'db/embedded/statistics.ts',
    find: 'for (const { name } of rows) await connection.query(`ANALYZE ${name}`);',
    replace: '',
    test: 'db/housekeeping.test.ts',
  },
  {
    name: 'a check loses its lease while it runs',
    file: 'domain/files/check-claim.ts',
    find: '}, leases.heartbeatMs);',
    replace: '}, leases.heartbeatMs * 1_000);',
    test: 'engine/uploads.process.test.ts',
  },
  {
    name: 'a process without file descriptors responds with an internal error',
    file: 'db/unavailable.ts',
    find: "'EMFILE',",
    replace: '',
    test: 'engine/descriptors.process.test.ts',
  },
];
