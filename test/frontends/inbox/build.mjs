// Generates the types of the operations from the schema, then bundles the page to `dist`. A schema that breaks an operation
// fails the build. With `--types` it only generates. This is what `graphql-codegen` with `preset: 'client'` does; its
// command line needs Node 22.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { preset } from '@graphql-codegen/client-preset';
import { codegen } from '@graphql-codegen/core';
import { build } from 'esbuild';
import { buildSchema, isAbstractType, parse } from 'graphql';

const root = import.meta.dirname;
const generated = join(root, 'src/gql/');
const JSON_OBJECT = 'Record<string, unknown>';
const SCALARS = {
  DateTime: 'string',
  UUID: 'string',
  JSON: 'unknown',
  JSONObject: JSON_OBJECT,
  ReplyContent: 'unknown',
};

async function generate() {
  const sdl = readFileSync(join(root, '../../../schema/schema.graphql'), 'utf8');
  const schemaAst = buildSchema(sdl);
  const source = readFileSync(join(root, 'src/operations.ts'), 'utf8');
  const documents = [...source.matchAll(/graphql\(`([^`]*)`\)/g)].map(([, rawSDL]) => {
    return { location: 'src/operations.ts', document: parse(rawSDL), rawSDL };
  });
  const files = await preset.buildGeneratesSection({
    schema: parse(sdl),
    schemaAst,
    documents,
    baseOutputDir: generated,
    config: { scalars: { ...SCALARS, SafeInt: 'number' }, strictScalars: true, useTypeImports: true },
    presetConfig: { fragmentMasking: false },
    plugins: [],
    pluginMap: {},
  });
  mkdirSync(generated, { recursive: true });
  for (const file of files) writeFileSync(file.filename, await codegen(file));
  // Apollo's cache needs them to match fragments on interfaces and unions.
  const possible = Object.values(schemaAst.getTypeMap())
    .filter(isAbstractType)
    .map((type) => [type.name, schemaAst.getPossibleTypes(type).map(({ name }) => name)]);
  const types = JSON.stringify(Object.fromEntries(possible));
  writeFileSync(
    join(generated, 'possible-types.ts'),
    `export const possibleTypes: Record<string, string[]> = ${types};\n`,
  );
}

await generate();
if (!process.argv.includes('--types')) {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.tsx'],
    outdir: 'dist',
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'warning',
  });
  cpSync(join(root, 'index.html'), join(root, 'dist/index.html'));
}
