import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import type * as Engine from '@prisma/schema-engine-wasm';

/** The types of Node.js do not declare WebAssembly. */
interface WebAssemblyHost {
  instantiate(bytes: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, () => void> } }>;
}

let compiled: Promise<typeof Engine> | undefined;

/**
 * Prisma's schema engine as WebAssembly, with the same driver adapter as the service. It maintains the
 * `_prisma_migrations` table like `prisma migrate deploy`. Await each call before the next: concurrent calls panic.
 */
export async function schemaEngine(schema: string, adapter: PrismaPg): Promise<Engine.SchemaEngine> {
  compiled ??= load();
  const { SchemaEngine } = await compiled;
  return SchemaEngine.new(
    { datamodels: [['schema.prisma', schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(new WholeScripts(adapter)),
  );
}

/**
 * adapter-pg splits a script at every semicolon, even inside function bodies. This sends the whole script as one message.
 * PostgreSQL runs it as one transaction, so a migration is applied completely or not at all.
 */
class WholeScripts implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'postgres';
  readonly adapterName: string;
  readonly #adapter: PrismaPg;

  constructor(adapter: PrismaPg) {
    this.#adapter = adapter;
    this.adapterName = adapter.adapterName;
  }

  connect(): Promise<SqlDriverAdapter> {
    return wholeScripts(this.#adapter.connect());
  }

  connectToShadowDb(): Promise<SqlDriverAdapter> {
    return wholeScripts(this.#adapter.connectToShadowDb());
  }
}

async function wholeScripts(connecting: ReturnType<PrismaPg['connect']>): Promise<SqlDriverAdapter> {
  const connection = await connecting;
  connection.executeScript = async (script) => {
    await connection.underlyingDriver().query(script);
  };
  return connection;
}

async function load(): Promise<typeof Engine> {
  const bindings = './schema_engine_bg.js';
  const module = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const bytes = await readFile(new URL('schema_engine_bg.wasm', `file://${module}`));
  const { WebAssembly } = globalThis as unknown as { WebAssembly: WebAssemblyHost };
  const { instance } = await WebAssembly.instantiate(bytes, { [bindings]: glue });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start?.();
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(message: string) {
        throw new Error(`The schema engine failed: ${message}`);
      },
    },
  });
  return glue;
}
