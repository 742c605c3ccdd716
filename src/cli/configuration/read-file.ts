import { open } from 'node:fs/promises';
import { type Document, isAlias, isCollection, isPair, isScalar, Lexer, LineCounter, parseDocument, visit } from 'yaml';
import { type FieldPath, formatPath, type InputIssue } from '../../contract/errors.ts';
import { reason } from '../../domain/input.ts';
import { CommandError } from '../options.ts';
import { fileRules } from './file-rules.ts';
import { type ConfigurationFile, configurationFile } from './file-schema.ts';
import { unknownFields } from './schema-walk.ts';

export const FILE_LIMITS = { bytes: 4 * 1024 * 1024, aliases: 50, depth: 64, errors: 20 } as const;

/** A valid file, and where each of its fields is. */
export interface SourceFile {
  readonly config: ConfigurationFile;
  /** `file:line:column: path`, for messages. */
  at(path: FieldPath): string;
}

/** Reads and checks the whole file. @throws {CommandError} with all problems */
export async function readConfigurationFile(path: string): Promise<SourceFile> {
  return parseConfiguration(path, await readText(path));
}

async function readText(path: string): Promise<string> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`-f ${path} cannot be read (${error.code}). Check the path.`);
  });
  try {
    const buffer = Buffer.alloc(FILE_LIMITS.bytes + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < buffer.length; length += read) {
      read = (await file.read(buffer, length, buffer.length - length)).bytesRead;
    }
    if (length > FILE_LIMITS.bytes) {
      throw new CommandError(`-f ${path} is too large: at most ${FILE_LIMITS.bytes / 1024 / 1024} MiB.`);
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`-f ${path} cannot be read. It must be a file with UTF-8 text.`);
  } finally {
    await file.close();
  }
}

/** @throws {CommandError} */
export async function parseConfiguration(name: string, text: string): Promise<SourceFile> {
  const lines = new LineCounter();
  requireShallow(name, text);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  const at = (path: FieldPath) => {
    const where = place(offsetOf(document, path));
    return path.length === 0 ? where : `${where}: ${formatPath(path)}`;
  };
  if (document.errors.some(({ message }) => /call stack/.test(message))) throw tooDeep(name);
  const syntax = [...document.errors, ...document.warnings].map(({ pos, message }) => `${place(pos[0])}: ${message}`);
  if (syntax.length > 0) throw problems(syntax);
  requireBounded(document, place);
  const { config, issues } = await check(valueOfDocument(name, document));
  const found = issues.map(({ path, message }) => `${at(path)} ${message.replace(/([^.?])$/, '$1.')}`);
  if (!config || found.length > 0) throw problems(found);
  return { config, at };
}

function problems(lines: readonly string[]): CommandError {
  const shown = lines.slice(0, FILE_LIMITS.errors);
  const more = lines.length - shown.length;
  const rest = more > 0 ? [`${more} more problems. Correct these first.`] : [];
  return new CommandError([...shown, ...rest].join('\n'));
}

const BRACKETS: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/**
 * The parser recurses and can need minutes for a file of brackets, so its tokens are counted first. Items that are nested
 * without brackets begin on one line (`- - -`) or are indented, which makes a deep file a large one.
 */
function requireShallow(name: string, text: string): void {
  let brackets = 0;
  let dashes = 0;
  for (const token of new Lexer().lex(text)) {
    if (/^[\r\n]/.test(token)) dashes = 0;
    if (token === '-' || token === '?') dashes += 1;
    brackets = Math.max(0, brackets + (BRACKETS[token] ?? 0));
    if (brackets > FILE_LIMITS.depth || dashes > FILE_LIMITS.depth) throw tooDeep(name);
  }
}

const tooDeep = (where: string) =>
  new CommandError(`${where}: the file is nested too deeply: at most ${FILE_LIMITS.depth} levels.`);

/** An alias of a list of aliases multiplies. */
function valueOfDocument(name: string, document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: FILE_LIMITS.aliases });
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    throw new CommandError(`${name} has aliases that multiply: at most ${FILE_LIMITS.aliases}. Write them out.`);
  }
}

function requireBounded(document: Document, place: (offset: number) => string): void {
  let aliases = 0;
  visit(document, (_key, node, ancestors) => {
    if (isAlias(node)) aliases += 1;
    const depth = ancestors.filter(isCollection).length;
    const where = place((isAlias(node) || isCollection(node) ? node.range?.[0] : undefined) ?? 0);
    if (aliases > FILE_LIMITS.aliases) {
      throw new CommandError(
        `${where}: the file has too many aliases: at most ${FILE_LIMITS.aliases}. Write them out.`,
      );
    }
    if (depth > FILE_LIMITS.depth) throw tooDeep(where);
  });
}

interface Checked {
  readonly config?: ConfigurationFile;
  readonly issues: readonly InputIssue[];
}

async function check(value: unknown): Promise<Checked> {
  const unknown = unknownFields(configurationFile, value);
  const parsed = configurationFile.safeParse(value, { error: reason });
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => ({
      path: path.filter((step) => typeof step !== 'symbol'),
      message,
    }));
    return { issues: [...unknown, ...issues] };
  }
  const { data } = parsed;
  if (unknown.length > 0) return { issues: unknown };
  return { config: data, issues: await fileRules(data) };
}

/** The offset of the field, or of the nearest parent that exists. */
function offsetOf(document: Document, path: FieldPath): number {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const step = path[length - 1];
    if (!isCollection(parent)) continue;
    const item = parent.items.find((one, index) =>
      isPair(one) ? isScalar(one.key) && one.key.value === step : index === step,
    );
    const node = isPair(item) ? item.key : item;
    const { range } = (node ?? {}) as { readonly range?: readonly [number, number, number] };
    if (range) return range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}
