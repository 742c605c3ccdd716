import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTSIDE_TRANSACTION, readMigrations, statementsOf } from '../../src/db/migrations.ts';
import { problemsOf } from '../../tools/migration-rules.ts';
import { ROOT } from '../support/database.ts';

const OUTSIDE = `${OUTSIDE_TRANSACTION}\n`;

const migrationOf = (script: string, name = '99990101000000_later') => ({
  name,
  script,
  checksum: '',
  isOutsideTransaction: script.startsWith(OUTSIDE_TRANSACTION),
});

const FORBIDDEN = [
  'CREATE INDEX "run_later_idx" ON "run"("later")',
  'CREATE UNIQUE INDEX IF NOT EXISTS later_idx ON ONLY public.run (later)',
  'CREATE INDEX CONCURRENTLY IF NOT EXISTS "run_later_idx" ON "run"("later")',
  'ALTER TABLE "run" ALTER COLUMN "model" TYPE text',
  'ALTER TABLE "run" ALTER "model" SET DATA TYPE varchar(10)',
  'ALTER TABLE "run" ADD COLUMN "later" bigserial',
  'ALTER TABLE "run" ADD COLUMN "later" int GENERATED ALWAYS AS (1) STORED',
  'ALTER TABLE "run" ADD COLUMN "later" uuid NOT NULL DEFAULT gen_random_uuid()',
  'ALTER TABLE "run" ADD COLUMN "first" int, ADD COLUMN "later" timestamptz DEFAULT clock_timestamp()',
  'ALTER TABLE "run" ALTER COLUMN "later" SET NOT NULL',
  'ALTER TABLE "run" ADD CONSTRAINT "later_check" CHECK ("later" > 0)',
  'ALTER TABLE "run" ADD CONSTRAINT "later_fkey" FOREIGN KEY ("later") REFERENCES "user_account"("id") ON DELETE CASCADE',
  'ALTER TABLE "run" ADD COLUMN "later" uuid REFERENCES "user_account"("id")',
  'ALTER TABLE "run" ADD CONSTRAINT "later_key" UNIQUE ("later")',
  'ALTER TABLE "run" ADD PRIMARY KEY ("later")',
  'ALTER TABLE "run" ADD EXCLUDE USING gist (later WITH &&)',
  'ALTER TABLE "run" VALIDATE CONSTRAINT "later_check"',
  'ALTER TABLE "run" SET UNLOGGED',
  'UPDATE "run" SET "later" = 1',
  'DELETE FROM "run" WHERE later IS NULL',
  'VACUUM FULL "run"',
  'CLUSTER "run"',
  'REINDEX TABLE "run"',
  'LOCK TABLE "run"',
  'COMMIT',
  `${OUTSIDE}CREATE INDEX "run_later_idx" ON "run"("later")`,
  `${OUTSIDE}CREATE INDEX CONCURRENTLY "run_later_idx" ON "run"("later")`,
  `${OUTSIDE}ALTER TABLE "run" ADD COLUMN "later" int`,
  `${OUTSIDE}DROP INDEX "run_later_idx"`,
];

const ALLOWED = [
  'ALTER TABLE "run" ADD COLUMN "later" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "more" TEXT',
  `ALTER TABLE "run" ADD COLUMN "later" JSONB NOT NULL DEFAULT '{}', ADD COLUMN "names" TEXT[] DEFAULT ARRAY[]::TEXT[]`,
  'ALTER TABLE "run" ADD COLUMN "later" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP',
  'ALTER TABLE "run" ALTER COLUMN "later" SET DEFAULT gen_random_uuid()',
  'ALTER TABLE "run" ADD CONSTRAINT "later_check" CHECK ("later" > 0) NOT VALID',
  'ALTER TABLE "run" ADD CONSTRAINT "later_fkey" FOREIGN KEY ("later") REFERENCES "user_account"("id") NOT VALID',
  'ALTER TABLE "run" ADD CONSTRAINT "later_key" UNIQUE USING INDEX "later_idx"',
  'CREATE TABLE "later" ("id" UUID PRIMARY KEY, "a" INT CHECK (a > 0)); CREATE INDEX "later_idx" ON "later"("id"); ALTER TABLE "later" ADD CONSTRAINT "a" UNIQUE ("a"); UPDATE "later" SET a = 1',
  `CREATE FUNCTION later() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE "run" SET model = ''; RETURN NEW; END $$`,
  '-- ALTER TABLE "run" ALTER COLUMN "model" TYPE text;\nSELECT 1',
  `${OUTSIDE}CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "later_idx" ON "run"("later") WHERE later > 0;
   DROP INDEX CONCURRENTLY IF EXISTS "old_idx"; ALTER TABLE "run" VALIDATE CONSTRAINT "later_check";`,
];

describe('the rules for migrations', () => {
  it('are obeyed by every migration of the repository', async () => {
    expect((await readMigrations(ROOT)).flatMap(problemsOf)).toEqual([]);
  });

  it.each(FORBIDDEN)('reject %s', (script) => {
    expect(problemsOf(migrationOf(script))).toHaveLength(1);
  });

  it.each(ALLOWED)('accept %s', (script) => {
    expect(problemsOf(migrationOf(script))).toEqual([]);
  });

  it('do not apply to migrations from before them', () => {
    expect(problemsOf(migrationOf(String(FORBIDDEN[0]), '20261121123934_audit'))).toEqual([]);
  });
});

/** The columns of each model of `prisma/schema.prisma`, without its relations. */
function columnsOf(schema: string): { readonly model: string; readonly column: string }[] {
  const models = [...schema.matchAll(/^model (\w+) \{\n([\s\S]*?)^\}/gm)];
  const names = new Set(models.map(([, model]) => model));
  return models.flatMap(([, model = '', body = '']) =>
    [...body.matchAll(/^ {2}(\w+) +(\w+)(.*)$/gm)]
      .filter(([, , type]) => !names.has(type))
      .map(([, name = '', , rest = '']) => ({ model, column: /@map\("([^"]+)"\)/.exec(rest)?.[1] ?? name })),
  );
}

it('prisma/schema.prisma has no column without a migration', async () => {
  const scripts = (await readMigrations(ROOT)).map(({ script }) => script).join('\n');
  const columns = columnsOf(readFileSync(join(ROOT, 'prisma/schema.prisma'), 'utf8'));
  const missing = columns.filter(({ column }) => !new RegExp(`\\b${column}\\b`).test(scripts));
  expect(columns.length).toBeGreaterThan(300);
  expect(
    missing.map(({ model, column }) => `prisma/schema.prisma: ${model} has ${column}. Run npm run db:migration`),
  ).toEqual([]);
});

describe('the statements of a script', () => {
  it('end at semicolons that are not inside texts, names, bodies and comments', () => {
    const script = `-- a; b\nSELECT ';', "a;b"; /* ; */ DO $x$ BEGIN; $$;$$ END $x$; SELECT 1 - 2 / 1`;
    expect(statementsOf(script)).toEqual([`SELECT ';', "a;b"`, 'DO $x$ BEGIN; $$;$$ END $x$', 'SELECT 1 - 2 / 1']);
  });
});
