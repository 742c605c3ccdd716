import type { Stored } from '../../forms/use-edit-form.ts';
import type { DraftValues } from './draft-values.ts';

/** Changes of a draft that were not saved. */
export interface UnsavedDraft {
  /** The stored draft that the changes are based on. */
  readonly base: Stored<DraftValues>;
  readonly values: DraftValues;
  /** ISO 8601. */
  readonly changedAt: string;
}

/** Whose changes, and of what. */
export interface DraftAddress {
  readonly workspaceId: string;
  readonly environment: string;
  readonly workflowId: number;
  readonly userId: string;
}

// Increase the number when the values change their form: old drafts would not fit.
const PREFIX = 'parley-draft-1/';

/** Limit: unsaved drafts in one browser. The oldest is removed. */
const MOST_DRAFTS = 20;

const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000;

const keyOf = ({ workspaceId, environment, workflowId, userId }: DraftAddress) =>
  `${PREFIX}${workspaceId}/${environment}/${workflowId}/${userId}`;

/** localStorage may be blocked or full. Unsaved changes are then lost when the page closes. */
function attempt<Result>(use: (storage: Storage) => Result, otherwise: Result): Result {
  try {
    return use(localStorage);
  } catch {
    return otherwise;
  }
}

/** The unsaved changes of an earlier page. Changes that are too old are removed. */
export function readUnsaved(address: DraftAddress): UnsavedDraft | undefined {
  return attempt((storage) => {
    const draft = parse(storage.getItem(keyOf(address)));
    if (draft && Date.now() - Date.parse(draft.changedAt) < MAX_AGE_MS) return draft;
    storage.removeItem(keyOf(address));
    return undefined;
  }, undefined);
}

/** This module wrote the text, with this version of the form. */
function parse(text: string | null): UnsavedDraft | undefined {
  return text === null ? undefined : (JSON.parse(text) as UnsavedDraft);
}

export function storeUnsaved(address: DraftAddress, draft: Omit<UnsavedDraft, 'changedAt'>): void {
  attempt((storage) => {
    const isNew = storage.getItem(keyOf(address)) === null;
    storage.setItem(keyOf(address), JSON.stringify({ ...draft, changedAt: new Date().toISOString() }));
    if (!isNew) return;
    const others = keysIn(storage).filter((key) => key !== keyOf(address));
    const age = (key: string) => parse(storage.getItem(key))?.changedAt ?? '';
    const oldest = others.sort((one, other) => age(one).localeCompare(age(other)));
    for (const key of oldest.slice(0, Math.max(0, oldest.length - MOST_DRAFTS + 1))) storage.removeItem(key);
  }, undefined);
}

export function removeUnsaved(address: DraftAddress): void {
  attempt((storage) => storage.removeItem(keyOf(address)), undefined);
}

/** Removes all unsaved drafts from the browser. No draft remains after a user signs out. */
export function removeAllUnsaved(): void {
  attempt((storage) => {
    for (const key of keysIn(storage)) storage.removeItem(key);
  }, undefined);
}

function keysIn(storage: Storage): string[] {
  return Object.keys(storage).filter((key) => key.startsWith(PREFIX));
}
