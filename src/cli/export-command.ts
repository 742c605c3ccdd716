import { open, rm } from 'node:fs/promises';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UUID_PATTERN } from '../contract/ids.ts';
import type { Context } from '../domain/context.ts';
import { exportConversation } from '../domain/exports/conversation.ts';
import { exportEnvironment } from '../domain/exports/environment.ts';
import type { ExportLine } from '../domain/exports/lines.ts';
import type { Command } from './command.ts';
import { CommandError, ENVIRONMENT_OPTIONS, type ParsedOptions } from './options.ts';

export const EXPORT_COMMAND: Command = {
  name: 'export',
  summary: 'Exports an environment, or one conversation, as lines of JSON. Secrets are not exported.',
  options: {
    conversation: { value: 'ID', help: 'exports only this conversation' },
    output: { value: 'FILE', help: 'writes to a new file; default: standard output' },
    ...ENVIRONMENT_OPTIONS,
  },
  fields: { conversationId: 'conversation' },
  async run(session, options) {
    const { ctx } = await session.environment(options);
    const file = options.text('output');
    const output = new ExportOutput(linesOf(ctx, options));
    if (file === undefined) await pipeline(Readable.from(output.texts()), session.terminal.stdout, { end: false });
    else await writeFile(file, output.texts());
    const { counts } = output;
    const rows = Object.entries(counts).map(([type, count]) => `${type} ${count}`);
    const text = rows.length > 0 ? `Exported ${rows.join(', ')}.` : 'The environment is empty.';
    const data = { ...(file !== undefined && { output: file }), counts };
    return { data, text, toStandardError: file === undefined };
  },
};

function linesOf(ctx: Context, options: ParsedOptions): AsyncIterable<ExportLine> {
  const id = options.text('conversation')?.toLowerCase();
  if (id === undefined) return exportEnvironment(ctx);
  if (!UUID_PATTERN.test(id)) throw new CommandError('--conversation must be a UUID.');
  return exportConversation(ctx, id);
}

/** The lines as text. `counts` is set by the last line. */
class ExportOutput {
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

/** Removes the file if the export fails, because a partial file would look complete. */
async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'EEXIST' ? 'already exists' : `cannot be written (${error.code})`;
    throw new CommandError(`--output ${path} ${reason}.`);
  });
  const stream: Writable = file.createWriteStream();
  await pipeline(Readable.from(texts), stream).catch(async (error: unknown) => {
    await rm(path, { force: true });
    throw error;
  });
}
