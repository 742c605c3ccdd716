import { createContext } from 'react';
import type { FilePart } from '../../sdk/index.ts';

/** A file that the service stores. */
export interface KnownFile {
  readonly name: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Reads the bytes without credentials, for some minutes. */
  readonly url: string;
}

export interface SendOptions {
  /** Receives the sent part of the file, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
}

/** How a page uploads files and shows them. */
export interface PageFiles {
  /** The limit of one file. */
  readonly maxBytes: number;
  /** @throws {ParleyError} */
  upload(file: File, options: SendOptions): Promise<FilePart>;
  /** @throws {ParleyError} */
  get(id: string): Promise<KnownFile>;
}

/** Undefined on pages without uploads: they send files inline. */
export const FilesContext = createContext<PageFiles | undefined>(undefined);
