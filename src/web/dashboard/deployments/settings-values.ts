import type { VariablesOf } from 'gql.tada';
import * as z from 'zod/mini';
import { LIMITS } from '../../../contract/limits.ts';
import { atMost, converted, optionalInteger, requiredText } from '../forms/rules.ts';
import type { Stored } from '../forms/use-edit-form.ts';
import type { UPDATE_DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';

export const settingsSchema = z.object({
  name: requiredText('a name', LIMITS.workflowNameLength),
  authRequired: z.boolean(),
  allowlist: z.array(z.object({ host: z.string() })).check(atMost(LIMITS.allowlist, 'hosts')),
  hostedPage: z.boolean(),
  dynamicClientTools: z.boolean(),
  doubleTextPolicy: z.enum(['REJECT', 'ENQUEUE', 'INTERRUPT']),
  onReaderGone: z.enum(['STOP', 'CONTINUE']),
  turnsPerMinute: optionalInteger(1, LIMITS.ratePerMinute),
  anonymousPerMinute: optionalInteger(1, LIMITS.ratePerMinute),
  conversationTurnsPerMinute: optionalInteger(1, LIMITS.ratePerMinute),
  visitorTurnsPerHour: optionalInteger(1, LIMITS.ratePerMinute),
  visitorTurnsPerDay: optionalInteger(1, LIMITS.ratePerMinute),
  challenge: z.enum(['OFF', 'PROOF_OF_WORK', 'PROVIDER']),
  maxFileBytes: optionalInteger(1, LIMITS.fileBytes),
  fileTypes: converted(z.string(), typesOf).check(atMost(LIMITS.fileTypes, 'types')),
});

function typesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((type) => type !== '');
}

export type Settings = z.input<typeof settingsSchema>;

const textOf = (limit: number | null): string => (limit === null ? '' : String(limit));

export function storedSettings(stored: Pick<DeploymentData, keyof Settings | 'updatedAt'>): Stored<Settings> {
  const { name, authRequired, allowlist, hostedPage, dynamicClientTools, doubleTextPolicy, onReaderGone } = stored;
  return {
    version: stored.updatedAt,
    values: {
      ...{ name, authRequired, hostedPage, dynamicClientTools, doubleTextPolicy, onReaderGone },
      allowlist: allowlist.map((host) => ({ host })),
      turnsPerMinute: textOf(stored.turnsPerMinute),
      anonymousPerMinute: textOf(stored.anonymousPerMinute),
      conversationTurnsPerMinute: textOf(stored.conversationTurnsPerMinute),
      visitorTurnsPerHour: textOf(stored.visitorTurnsPerHour),
      visitorTurnsPerDay: textOf(stored.visitorTurnsPerDay),
      challenge: stored.challenge,
      maxFileBytes: textOf(stored.maxFileBytes),
      fileTypes: stored.fileTypes.join('\n'),
    },
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
  path.replace(/^allowlist\.\d+$/, '$&.host').replace(/^fileTypes\.\d+$/, 'fileTypes');
