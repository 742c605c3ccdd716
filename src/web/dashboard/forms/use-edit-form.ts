import { zodResolver } from '@hookform/resolvers/zod';
import { useEffect, useState } from 'react';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm, useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import type { RequestError } from '../request-error.ts';
import { type FieldMapping, showServerError } from './server-errors.ts';

type Version = string | number;

/** Values that the service stores, and their version. */
export interface Stored<Values> {
  readonly version: Version;
  readonly values: Values;
}

export type SaveResult<Values> =
  | { readonly saved: Stored<Values>; readonly error?: undefined }
  | { readonly saved?: undefined; readonly error: RequestError };

interface Options<Values extends FieldValues, Output> {
  /** Checks and converts the values. `base` are the stored values that the user started from. */
  readonly schemaFor: (base: Values) => z.ZodMiniType<Output, Values>;
  /** The latest stored values. They can change while the user edits. */
  readonly stored: Stored<Values>;
  /** Sends the values. The service must reject them if the stored version is not `version`. */
  readonly save: (output: Output, base: Values, version: Version) => Promise<SaveResult<Values>>;
  readonly mapField?: FieldMapping<Values>;
}

/** Somebody else has saved while this user has unsaved changes. */
export interface Conflict<Values> {
  readonly base: Values;
  readonly theirs: Values;
  /** Discards this user's changes. */
  readonly load: () => void;
  /** Saves this user's changes over the others'. */
  readonly overwrite: () => void;
}

export interface EditForm<Values extends FieldValues, Output>
  extends Pick<UseFormReturn<Values, unknown, Output>, 'control' | 'formState'> {
  /** The values as they are now. */
  readonly values: Values;
  /** The version that the changes are based on. */
  readonly version: Version;
  /** The stored values that the changes are based on. */
  readonly base: Stored<Values>;
  readonly unsaved: boolean;
  readonly busy: boolean;
  readonly error: RequestError | undefined;
  readonly conflict: Conflict<Values> | undefined;
  /** Returns false if the values are invalid or the service rejects them. */
  readonly save: () => Promise<boolean>;
  readonly discard: () => void;
  /** Continues earlier changes. If the stored values have changed since, the form reports a conflict. */
  readonly restore: (base: Stored<Values>, values: Values) => void;
}

const isEqual = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

/**
 * A form that edits stored values. If somebody else saves meanwhile, a form without changes takes over their values. A
 * form with changes reports a conflict instead.
 */
export function useEditForm<Values extends FieldValues, Output>(
  options: Options<Values, Output>,
): EditForm<Values, Output> {
  const { schemaFor, stored, mapField } = options;
  const [base, setBase] = useState(stored);
  // After a save the query still returns the previous version for a moment.
  const [outdated, setOutdated] = useState<Version>();
  if (outdated !== undefined && stored.version === base.version) setOutdated(undefined);
  const [error, setError] = useState<RequestError>();
  const form = useForm<Values, unknown, Output>({
    resolver: zodResolver(schemaFor(base.values)),
    defaultValues: stored.values as DefaultValues<Values>,
    mode: 'onChange',
    shouldFocusError: false,
  });
  const { control, formState } = form;
  const values = useWatch({ control, compute: (all: Values) => all });
  const busy = formState.isSubmitting;
  const unsaved = !isEqual(values, base.values);
  const isOutdated = stored.version !== base.version && stored.version !== outdated;
  const adopt = (next: Stored<Values>) => {
    setBase(next);
    setOutdated(stored.version);
    setError(undefined);
    form.reset(next.values);
  };
  const adoptsStored = isOutdated && !unsaved && !busy;
  useEffect(() => {
    if (adoptsStored) adopt(stored);
  });
  const saveAs = async (version: Version): Promise<boolean> => {
    let isSaved = false;
    await form.handleSubmit(async (output) => {
      const sent = JSON.stringify(form.getValues());
      const result = await options.save(output, base.values, version);
      setError(result.error);
      if (result.error) {
        showServerError(form, result.error, mapField);
        return;
      }
      isSaved = true;
      setBase(result.saved);
      setOutdated(stored.version);
      // Keep what the user typed while the request was in progress.
      const current = form.getValues();
      if (JSON.stringify(current) === sent && !isEqual(current, result.saved.values)) form.reset(result.saved.values);
    })();
    return isSaved;
  };
  const conflict = isOutdated &&
    unsaved &&
    !busy && {
      base: base.values,
      theirs: stored.values,
      load: () => adopt(stored),
      overwrite: () => void saveAs(stored.version),
    };
  return {
    ...{ control, formState, values, unsaved, busy, error },
    version: base.version,
    base,
    conflict: conflict || undefined,
    save: () => saveAs(base.version),
    discard: () => adopt(base),
    restore(earlier, changed) {
      setBase(earlier);
      setOutdated(undefined);
      setError(undefined);
      form.reset(changed);
    },
  };
}
