import { isAscii, isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type FieldPath, ServiceError } from '../../contract/errors.ts';
import { checkJson, checkLargeJson, SLICE, variablePath } from '../../operation/json-bounds.ts';

/** Errors name a field of the operation's input, not its place in the envelope. */
const PATH_NAMES = [
  { path: /^\/graphql/, nameOf: graphqlPath },
  { path: /^\/mcp/, nameOf: toolPath },
  { path: /^\/v1\/runner\/[^/]*\/ui(\?|$)/, nameOf: messagePath },
];

function graphqlPath(path: FieldPath): FieldPath {
  return path[0] === 'variables' ? variablePath(path.slice(1)) : path;
}

function toolPath(path: FieldPath): FieldPath {
  return path[0] === 'params' && path[1] === 'arguments' ? path.slice(2) : path;
}

/** The parts of a chat's message are the content of a turn. */
function messagePath(path: FieldPath): FieldPath {
  return path[0] === 'messages' && path[2] === 'parts' ? ['content', ...path.slice(3)] : path;
}

/**
 * Parses a body. Only UTF-8 is accepted, because other bytes would silently become different text. No part of the work on a
 * large body takes long, so that other requests continue.
 * @throws {ServiceError} invalid_json, invalid_request
 */
export async function parseBody(body: Buffer, url: string): Promise<unknown> {
  if (body.length === 0) return {};
  if (!isUtf8(body)) throw new ServiceError('invalid_json', 'The body is not valid UTF-8.');
  const nameOf = PATH_NAMES.find(({ path }) => path.test(url))?.nameOf;
  const json = withoutMark(body);
  if (json.length <= SLICE) {
    checkJson(json, nameOf);
    return parse(json.toString());
  }
  await checkLargeJson(json, nameOf);
  return parse(await decode(json));
}

/** A byte order mark is not part of the text. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

async function decode(json: Buffer): Promise<string> {
  if (isAscii(json)) return json.toString('latin1');
  const decoder = new StringDecoder('utf8');
  let text = '';
  for (let at = 0; at < json.length; at += SLICE) {
    await nextRound();
    text += decoder.write(json.subarray(at, at + SLICE));
  }
  await nextRound();
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not valid JSON.');
  }
}
