import { defineConfig } from 'prisma/config';

// `generate`, `validate` and `format` never call the native schema engine, but they look for it, and would
// download it. Any existing file satisfies them; migrations run through @prisma/schema-engine-wasm instead.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'schema.prisma', migrations: { path: 'migrations' } });
