import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` never call the native schema engine, but they look for it, and would
// download it. Any existing file satisfies them; src/db/migrate.ts runs the migrations instead.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'schema.prisma', migrations: { path: 'migrations' } });
