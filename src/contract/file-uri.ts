import { isTypeId, type TypeId } from './ids.ts';

export type FileId = TypeId<'file'>;

const SCHEME = 'parley:';

/** The URI of an uploaded file. Messages refer to the file by it, in the environment of the caller. */
export function fileUriOf(id: string): string {
  return `${SCHEME}${id}`;
}

/** The IDs of files that a text names, each once, in order. */
export function fileIdsIn(text: string): FileId[] {
  const ids = text.match(/\bfile_[0-9a-z]{26}\b/g) ?? [];
  return [...new Set(ids)].filter((id): id is FileId => isTypeId('file', id));
}

/** The ID of the uploaded file that a URI names, or undefined. */
export function fileIdOfUri(uri: string): FileId | undefined {
  const id = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : '';
  return isTypeId('file', id) ? id : undefined;
}
