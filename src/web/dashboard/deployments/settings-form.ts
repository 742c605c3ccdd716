import type { VariablesOf } from 'gql.tada';
import { useState } from 'react';
import { type Fault, faultAt } from '../fault.ts';
import { useChange } from '../requests.ts';
import type { DeploymentData } from './data.ts';
import { UPDATE_DEPLOYMENT } from './documents.ts';

type Change = VariablesOf<typeof UPDATE_DEPLOYMENT>['input'];
export type DoubleTextPolicy = DeploymentData['doubleTextPolicy'];

/** The settings as they are being written. */
export interface SettingsForm {
  readonly name: string;
  readonly authRequired: boolean;
  readonly allowlist: readonly string[];
  readonly hostedPage: boolean;
  readonly dynamicClientTools: boolean;
  readonly doubleTextPolicy: DoubleTextPolicy;
  readonly turnsPerMinute: string;
  readonly anonymousPerMinute: string;
  readonly conversationTurnsPerMinute: string;
}

const LIMITS = ['turnsPerMinute', 'anonymousPerMinute', 'conversationTurnsPerMinute'] as const;

export type LimitName = (typeof LIMITS)[number];

type Stored = Pick<DeploymentData, keyof SettingsForm | 'updatedAt'>;

const textOf = (limit: number | null): string => (limit === null ? '' : String(limit));

function formOf(stored: Stored): SettingsForm {
  const { name, authRequired, allowlist, hostedPage, dynamicClientTools, doubleTextPolicy } = stored;
  return {
    ...{ name, authRequired, allowlist, hostedPage, dynamicClientTools, doubleTextPolicy },
    turnsPerMinute: textOf(stored.turnsPerMinute),
    anonymousPerMinute: textOf(stored.anonymousPerMinute),
    conversationTurnsPerMinute: textOf(stored.conversationTurnsPerMinute),
  };
}

/** What is other than before, and that alone: what a colleague sets meanwhile stays. Empty limits go back to the default. */
function changeOf(before: SettingsForm, form: SettingsForm): Change {
  const numbers = (one: SettingsForm) =>
    Object.fromEntries(LIMITS.map((name) => [name, one[name].trim() === '' ? null : Number(one[name])]));
  const [old, now] = [before, form].map((one) => ({ ...one, allowlist: [...one.allowlist], ...numbers(one) }));
  const changed = Object.entries(now ?? {}).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old?.[name as keyof SettingsForm]),
  );
  return Object.fromEntries(changed);
}

const sameForm = (one: SettingsForm, other: SettingsForm) => JSON.stringify(one) === JSON.stringify(other);

/** Settings under edit, against those that are stored. */
export interface SettingsEditing {
  readonly form: SettingsForm;
  readonly change: (fields: Partial<SettingsForm>) => void;
  readonly unsaved: boolean;
  readonly busy: boolean;
  readonly fault: Fault | undefined;
  readonly errorAt: (path: string) => string | undefined;
  /** A limit is no number. */
  readonly isWrong: boolean;
  readonly save: () => Promise<void>;
  readonly discard: () => void;
}

export function useSettings(deployment: DeploymentData): SettingsEditing {
  const [base, setBase] = useState({ at: deployment.updatedAt, form: formOf(deployment) });
  const [form, setForm] = useState(base.form);
  const { make, busy, fault, forget } = useChange(UPDATE_DEPLOYMENT);
  const unsaved = !sameForm(form, base.form);
  const adopt = (stored: Stored) => {
    setBase({ at: stored.updatedAt, form: formOf(stored) });
    setForm(formOf(stored));
  };
  if (deployment.updatedAt > base.at && !unsaved && !busy) adopt(deployment);
  const problemAt = (path: string) => {
    const limit = LIMITS.find((name) => name === path);
    return limit && !/^\s*\d{0,9}\s*$/.test(form[limit]) ? 'This has to be a whole number.' : undefined;
  };
  const save = async () => {
    const input = changeOf(base.form, form);
    const data = await make({ deploymentId: deployment.deploymentId, input });
    if (!data) return;
    const stored = data.updateDeployment;
    setBase({ at: stored.updatedAt, form: formOf(stored) });
    // What was written meanwhile stays.
    setForm((now) => (now === form ? formOf(stored) : now));
  };
  return {
    ...{ form, unsaved, busy, fault, save },
    change: (fields) => setForm((before) => ({ ...before, ...fields })),
    errorAt: (path) => problemAt(path) ?? faultAt(fault, path),
    isWrong: LIMITS.some(problemAt),
    discard: () => {
      forget();
      setForm(base.form);
    },
  };
}
