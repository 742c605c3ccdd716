import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { RUN_FAILURE_REASONS } from '../../../src/contract/run-failures.ts';
import { ROOT } from '../database.ts';

const FOLDER = join(ROOT, 'test/providers');

const call = z.strictObject({
  /** The tools are `lookup` and `place`. A call of another one is refused. */
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  /** Words of the reason that the model gets. The call does not run. */
  refused: z.string().optional(),
});

const caseFile = z
  .strictObject({
    provider: z.string(),
    /** One sentence: what the provider does. */
    quirk: z.string().regex(/^[A-Z].*\.$/, 'is one sentence with a full stop'),
    /** Where it was reported or documented: the address of an issue or a guide. */
    source: z.url(),
    /** What does not work with it. Listed in the documentation. */
    limit: z.string().optional(),
    protocol: z.enum(['chat', 'messages']),
    /** The status of the response. */
    status: z.number().int().min(200).max(599).default(200),
    contentType: z.string().default('text/event-stream'),
    /** An object becomes the data of an event. A text is sent as it is. */
    chunks: z.array(z.union([z.record(z.string(), z.unknown()), z.string()])).min(1),
    /** How the response ends. Chat completions end with `[DONE]` by default. */
    end: z.enum(['done', 'close', 'cut', 'hang']).default('done'),
    expect: z.strictObject({
      text: z.string().default(''),
      reasoning: z.string().default(''),
      calls: z.array(call).default([]),
      failure: z.enum(RUN_FAILURE_REASONS).optional(),
      /** The finish reason of the turn. */
      finish: z.enum(['stop', 'length', 'content_filter']).optional(),
      /** Tokens of the input and of the output. */
      usage: z.tuple([z.number(), z.number()]).optional(),
      /** Parts of the input: tokens read from the provider's cache, and tokens written to it. */
      cached: z.tuple([z.number(), z.number()]).default([0, 0]),
    }),
  })
  .refine(
    ({ expect: { calls } }) =>
      calls.every(({ arguments: args, refused }) => (args === undefined) !== (refused === undefined)),
    {
      error: 'a call has either `arguments` or `refused`',
      path: ['expect', 'calls'],
    },
  );

export type DialectCase = z.infer<typeof caseFile> & { readonly name: string };

/** Reads a file of the corpus. @throws an error that names the file and the field */
export function parseCase(name: string, json: string): DialectCase {
  const parsed = caseFile.safeParse(JSON.parse(json));
  if (!parsed.success) throw new Error(`test/providers/${name}.json: ${z.prettifyError(parsed.error)}`);
  return { name, ...parsed.data };
}

/** All files of the corpus, by name: `provider/quirk`. */
export function allCases(): readonly DialectCase[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => parseCase(file.replace(/\.json$/, ''), readFileSync(join(FOLDER, file), 'utf8')));
}
