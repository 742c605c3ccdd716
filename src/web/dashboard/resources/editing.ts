import type { ResultOf } from 'gql.tada';
import { useState } from 'react';
import { jsonText, readJsonObject } from '../build/json.ts';
import type { Fault } from '../fault.ts';
import { useChange } from '../requests.ts';
import { type RESOURCE, UPDATE_RESOURCE } from './documents.ts';

export type ResourceData = NonNullable<ResultOf<typeof RESOURCE>['resource']>;
type Fields = ResourceData['fields'];

/** Fields under edit, against those that are stored. */
export interface FieldsEditing {
  readonly text: string;
  readonly write: (text: string) => void;
  readonly unsaved: boolean;
  readonly busy: boolean;
  readonly fault: Fault | undefined;
  /** Why what is written cannot be sent. */
  readonly problem: string | undefined;
  readonly save: () => Promise<void>;
  readonly discard: () => void;
  /** Somebody else's change since then, where something is written here. */
  readonly theirs:
    | { readonly changed: readonly string[]; readonly load: () => void; readonly overwrite: () => void }
    | undefined;
}

interface Base {
  readonly etag: string;
  readonly fields: Fields;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

const changedFields = (before: Fields, after: Fields): Fields =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !same(value, before[name]) || !(name in before)));

/** Edits a resource. What is sent are the fields that were changed here, and they alone. */
export function useFieldsEditing(resource: ResourceData): FieldsEditing {
  const [base, setBase] = useState<Base>(resource);
  const [text, setText] = useState(() => jsonText(resource.fields));
  const { make, busy, fault, forget } = useChange(UPDATE_RESOURCE);
  const unsaved = text !== jsonText(base.fields);
  const adopt = (next: Base) => {
    setBase(next);
    setText(jsonText(next.fields));
  };
  const [seen, setSeen] = useState(resource.etag);
  const isOther = resource.etag !== base.etag && resource.etag !== seen;
  if (isOther && !unsaved && !busy) {
    setSeen(resource.etag);
    adopt(resource);
  }
  const { patch, problem } = patchOf(base.fields, text);
  const saveOver = async (ifMatch: string) => {
    if (!patch) return;
    const data = await make({ id: resource.resourceId, input: { fields: patch }, ifMatch });
    if (!data) return;
    // What is read a moment later may still be what was read before.
    setSeen(resource.etag);
    adopt(data.updateResource);
  };
  const load = () => {
    forget();
    adopt(resource);
  };
  const changed = Object.keys({ ...changedFields(base.fields, resource.fields) });
  const overwrite = () => void saveOver(resource.etag);
  return {
    ...{ text, unsaved, busy, fault, problem },
    write: setText,
    save: () => saveOver(base.etag),
    discard: () => {
      forget();
      adopt(base);
    },
    theirs: isOther && unsaved && !busy ? { changed, load, overwrite } : undefined,
  };
}

/** What has to be sent for the stored fields to become what is written. */
function patchOf(stored: Fields, text: string): { readonly patch?: Fields; readonly problem?: string } {
  const read = readJsonObject(text);
  if (read.problem !== undefined) return { problem: read.problem };
  const missing = Object.keys(stored).filter((name) => !Object.hasOwn(read.value, name));
  if (missing.length > 0) return { problem: `Fields cannot be taken away. Set to null: ${missing.join(', ')}.` };
  return { patch: changedFields(stored, read.value) };
}
