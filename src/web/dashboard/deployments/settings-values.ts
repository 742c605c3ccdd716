import type { VariablesOf } from 'gql.tada';
import * as z from 'zod/mini';
import { DEPLOYMENT_FORM } from '../../../shapes/deployment.ts';
import { workflowName } from '../../../shapes/names.ts';
import { CALLER_BUDGETS } from '../forms/budget-fields.ts';
import { atMost, requiredText } from '../forms/rules.ts';
import { settingsOf } from '../forms/setting.ts';
import { formRules, formValues } from '../forms/shape-rules.ts';
import type { Stored } from '../forms/use-edit-form.ts';
import type { UPDATE_DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';

const SETTINGS = { ...DEPLOYMENT_FORM, ...CALLER_BUDGETS };

/** The properties of a form's field for a setting. */
export const setting = settingsOf(SETTINGS);

export const settingsSchema = z.object({
  name: requiredText('a name', workflowName.most),
  ...formRules(SETTINGS),
  allowlist: z.array(z.object({ host: z.string() })).check(atMost(DEPLOYMENT_FORM.allowlist.most, 'hosts')),
});

export type Settings = z.input<typeof settingsSchema>;

export function storedSettings(stored: Pick<DeploymentData, keyof Settings | 'updatedAt'>): Stored<Settings> {
  const allowlist = stored.allowlist.map((host) => ({ host }));
  return {
    version: stored.updatedAt,
    values: { ...formValues(SETTINGS, stored), name: stored.name, allowlist },
  };
}

/** The input of the mutation. It contains only the changed settings, so it keeps what somebody else changes meanwhile. */
export function settingsInput(
  base: Settings,
  settings: z.output<typeof settingsSchema>,
): Omit<VariablesOf<typeof UPDATE_DEPLOYMENT>['input'], 'deploymentId'> {
  const before = settingsSchema.parse(base);
  const isChanged = (name: string, value: unknown) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof Settings]);
  const { allowlist, ...rest } = settings;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name, value]) => isChanged(name, value))),
    ...(isChanged('allowlist', allowlist) && { allowlist: allowlist.map(({ host }) => host) }),
  };
}

/** The service names an item of a list. The form has `allowlist.1.host`, and one field for all types of files. */
export const settingsField = (path: string): string =>
  path
    .replace(/^allowlist\.\d+$/, '$&.host')
    .replace(/^fileTypes\.\d+$/, 'fileTypes')
    .replace(/^(\w+Budget)\..*/, '$1');
