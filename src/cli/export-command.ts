import { open, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UUID_PATTERN } from '../contract/ids.ts';
import type { Context } from '../domain/context.ts';
import { exportConversation } from '../domain/exports/conversation.ts';
import { exportEnvironment } from '../domain/exports/environment.ts';
import type { ExportLine } from '../domain/exports/lines.ts';
import { type Command, CommandError, ENVIRONMENT_OPTIONS, type Given } from './command.ts';

export const EXPORT_COMMAND: Command = {
  name: 'export',
  summary: 'Writes all that an environment keeps, or one conversation, as lines of JSON. Secrets are not among it.',
  options: {
    conversation: { value: 'ID', help: 'this conversation alone' },
    output: { value: 'FILE', help: 'a new file to write to; standard output by default' },
    ...ENVIRONMENT_OPTIONS,
  },
  fields: { conversationId: 'conversation' },
  async run(session, given) {
    const { ctx } = await session.environment(given);
    const file = given.text('output');
    const counting = new Counting(linesOf(ctx, given));
    if (file === undefined) await pipeline(Readable.from(counting.texts()), process.stdout, { end: false });
    else await toFile(file, counting.texts());
    const { counts } = counting;
    const rows = Object.entries(counts).map(([type, count]) => `${type} ${count}`);
    const text = `Exported ${rows.length > 0 ? rows.join(', ') : 'nothing, for there is nothing'}.`;
    return { data: { ...(file !== undefined && { output: file }), counts }, text, aside: file === undefined };
  },
};

function linesOf(ctx: Context, given: Given): AsyncIterable<ExportLine> {
  const id = given.text('conversation')?.toLowerCase();
  if (id === undefined) return exportEnvironment(ctx);
  if (!UUID_PATTERN.test(id)) throw new CommandError('--conversation must be a UUID.');
  return exportConversation(ctx, id);
}

/** Lines as they are written, and what their last one counted. */
class Counting {
  readonly #lines: AsyncIterable<ExportLine>;
  counts: Readonly<Record<string, number>> = {};

  constructor(lines: AsyncIterable<ExportLine>) {
    this.#lines = lines;
  }

  async *texts(): AsyncGenerator<string> {
    for await (const line of this.#lines) {
      if (line.type === 'end') this.counts = line.counts;
      yield `${JSON.stringify(line)}\n`;
    }
  }
}

/** What is broken off leaves no file that could be taken for the whole. */
async function toFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'is there already' : `cannot be written to (${error.code})`;
    throw new CommandError(`--output ${path} ${why}.`);
  });
  const stream: Writable = file.createWriteStream();
  await pipeline(Readable.from(texts), stream).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
}
