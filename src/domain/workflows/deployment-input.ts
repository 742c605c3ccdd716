import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { DEPLOYMENT_KINDS, DOUBLE_TEXT_POLICIES, type DoubleTextPolicy } from '../../contract/statuses.ts';
import { ratePerMinute } from '../access/rate-limits.ts';
import { nameInput } from './name-input.ts';

const HOST_RULE = 'must be a host name like example.com, without scheme, port and path';

/** Labels of at most 63 letters, digits and hyphens. */
const HOST_NAME = /^(?!.{254})[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** As a browser writes it into Origin: what it would write another way could never match. */
const host = z
  .string()
  .toLowerCase()
  .refine((text) => HOST_NAME.test(text) && writtenSo(text), HOST_RULE);

function writtenSo(text: string): boolean {
  return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text;
}

const settings = {
  authRequired: z.boolean().nullish(),
  allowlist: z
    .array(host)
    .max(LIMITS.allowlist, `must hold at most ${LIMITS.allowlist} hosts`)
    .refine((hosts) => new Set(hosts).size === hosts.length, 'must name each host once')
    .nullish(),
  hostedPage: z.boolean().nullish(),
  dynamicClientTools: z.boolean().nullish(),
  doubleTextPolicy: z.enum(DOUBLE_TEXT_POLICIES).nullish(),
  anonymousPerMinute: ratePerMinute,
  conversationTurnsPerMinute: ratePerMinute,
  turnsPerMinute: ratePerMinute,
};

export const newDeployment = z.object({ name: nameInput, kind: z.enum(DEPLOYMENT_KINDS), ...settings });

export const deploymentChange = z.object({ name: nameInput.optional(), ...settings });

type Settings = Omit<z.output<typeof newDeployment>, 'kind' | 'name'>;

/** How a deployment is run, beside the version that it runs. */
export interface DeploymentSettings {
  readonly authRequired: boolean;
  readonly allowlist: string[];
  readonly hostedPage: boolean;
  readonly dynamicClientTools: boolean;
  readonly doubleTextPolicy: DoubleTextPolicy;
  readonly anonymousPerMinute: number | null;
  readonly conversationTurnsPerMinute: number | null;
  readonly turnsPerMinute: number | null;
}

export const DEFAULT_SETTINGS: DeploymentSettings = {
  authRequired: true,
  allowlist: [],
  hostedPage: false,
  dynamicClientTools: true,
  doubleTextPolicy: 'reject',
  anonymousPerMinute: null,
  conversationTurnsPerMinute: null,
  turnsPerMinute: null,
};

/** The settings after a change: a field that is given replaces what is there, and null puts its default back. */
export function changedSettings(before: DeploymentSettings, change: Settings): DeploymentSettings {
  const setting = <Name extends keyof DeploymentSettings>(name: Name): DeploymentSettings[Name] => {
    // A schema of its own checks each of them.
    const given = change[name] as DeploymentSettings[Name] | null | undefined;
    if (given === undefined) return before[name];
    return given ?? DEFAULT_SETTINGS[name];
  };
  return {
    authRequired: setting('authRequired'),
    allowlist: setting('allowlist'),
    hostedPage: setting('hostedPage'),
    dynamicClientTools: setting('dynamicClientTools'),
    doubleTextPolicy: setting('doubleTextPolicy'),
    anonymousPerMinute: setting('anonymousPerMinute'),
    conversationTurnsPerMinute: setting('conversationTurnsPerMinute'),
    turnsPerMinute: setting('turnsPerMinute'),
  };
}
