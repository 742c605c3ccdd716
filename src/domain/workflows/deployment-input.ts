import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { formatCount } from '../../contract/quantities.ts';
import {
  DEPLOYMENT_KINDS,
  DOUBLE_TEXT_POLICIES,
  type DoubleTextPolicy,
  READER_GONE_POLICIES,
  type ReaderGonePolicy,
  START_CHALLENGES,
  type StartChallenge,
} from '../../contract/statuses.ts';
import { normalizeHost } from '../access/hosts.ts';
import { ratePerMinute } from '../access/rate-limits.ts';
import { brandingInput } from '../branding/input.ts';
import { mimeType } from '../message-content.ts';

/** The name of a workflow or a deployment. */
export const nameInput = z
  .string()
  .max(LIMITS.workflowNameLength, `must have at most ${LIMITS.workflowNameLength} characters`)
  .refine((text) => text.trim() !== '', 'must not be blank');

const HOST_RULE = 'must be a host name like example.com or an IPv4 address';

/** Normalized, because the host of an Origin is compared in that form. */
const host = z.string().transform((text, context) => {
  const name = normalizeHost(text);
  if (name !== undefined) return name;
  context.addIssue({ code: 'custom', message: HOST_RULE });
  return z.NEVER;
});

const FILE_RULE = `must be a whole number from 1 to ${formatCount(LIMITS.fileBytes)}, or null`;

const settings = {
  authRequired: z.boolean().nullish(),
  allowlist: z
    .array(host)
    .max(LIMITS.allowlist, `must contain at most ${LIMITS.allowlist} hosts`)
    .transform((hosts) => [...new Set(hosts)])
    .nullish(),
  hostedPage: z.boolean().nullish(),
  dynamicClientTools: z.boolean().nullish(),
  doubleTextPolicy: z.enum(DOUBLE_TEXT_POLICIES).nullish(),
  onReaderGone: z.enum(READER_GONE_POLICIES).nullish(),
  anonymousPerMinute: ratePerMinute,
  conversationTurnsPerMinute: ratePerMinute,
  turnsPerMinute: ratePerMinute,
  visitorTurnsPerHour: ratePerMinute,
  visitorTurnsPerDay: ratePerMinute,
  challenge: z.enum(START_CHALLENGES).nullish(),
  maxFileBytes: z.int(FILE_RULE).min(1, FILE_RULE).max(LIMITS.fileBytes, FILE_RULE).nullish(),
  fileTypes: z
    .array(mimeType)
    .max(LIMITS.fileTypes, `must contain at most ${LIMITS.fileTypes} types`)
    .transform((types) => [...new Set(types.map((type) => type.toLowerCase()))])
    .nullish(),
  branding: brandingInput.nullish(),
};

export const newDeployment = z.object({ name: nameInput, kind: z.enum(DEPLOYMENT_KINDS), ...settings });

export const deploymentChange = z.object({ name: nameInput.optional(), ...settings });

type Settings = Omit<z.output<typeof newDeployment>, 'branding' | 'kind' | 'name'>;

/** The settings of a deployment, without its version and its branding. */
export interface DeploymentSettings {
  readonly authRequired: boolean;
  readonly allowlist: string[];
  readonly hostedPage: boolean;
  readonly dynamicClientTools: boolean;
  readonly doubleTextPolicy: DoubleTextPolicy;
  readonly onReaderGone: ReaderGonePolicy;
  readonly anonymousPerMinute: number | null;
  readonly conversationTurnsPerMinute: number | null;
  readonly turnsPerMinute: number | null;
  readonly visitorTurnsPerHour: number | null;
  readonly visitorTurnsPerDay: number | null;
  readonly challenge: StartChallenge;
  readonly maxFileBytes: number | null;
  readonly fileTypes: string[];
}

export const DEFAULT_SETTINGS: DeploymentSettings = {
  authRequired: true,
  allowlist: [],
  hostedPage: false,
  dynamicClientTools: true,
  doubleTextPolicy: 'reject',
  onReaderGone: 'stop',
  anonymousPerMinute: null,
  conversationTurnsPerMinute: null,
  turnsPerMinute: null,
  visitorTurnsPerHour: null,
  visitorTurnsPerDay: null,
  challenge: 'off',
  maxFileBytes: null,
  fileTypes: [],
};

/** Applies a change to settings. A null value restores the default. */
export function changedSettings(before: DeploymentSettings, change: Settings): DeploymentSettings {
  const setting = <Name extends keyof DeploymentSettings>(name: Name): DeploymentSettings[Name] => {
    // The input schema has validated each value.
    const value = change[name] as DeploymentSettings[Name] | null | undefined;
    if (value === undefined) return before[name];
    return value ?? DEFAULT_SETTINGS[name];
  };
  return {
    authRequired: setting('authRequired'),
    allowlist: setting('allowlist'),
    hostedPage: setting('hostedPage'),
    dynamicClientTools: setting('dynamicClientTools'),
    doubleTextPolicy: setting('doubleTextPolicy'),
    onReaderGone: setting('onReaderGone'),
    anonymousPerMinute: setting('anonymousPerMinute'),
    conversationTurnsPerMinute: setting('conversationTurnsPerMinute'),
    turnsPerMinute: setting('turnsPerMinute'),
    visitorTurnsPerHour: setting('visitorTurnsPerHour'),
    visitorTurnsPerDay: setting('visitorTurnsPerDay'),
    challenge: setting('challenge'),
    maxFileBytes: setting('maxFileBytes'),
    fileTypes: setting('fileTypes'),
  };
}
