import type { VariablesOf } from 'gql.tada';
import * as z from 'zod/mini';
import { COLOR_PATTERN } from '../../../contract/branding/accent.ts';
import { BRANDING_LANGUAGES } from '../../../contract/branding/branding.ts';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { DEPLOYMENT_BRANDING, suggestedPrompt } from '../../../shapes/branding.ts';
import { atMost, optionalText, requiredText } from '../forms/rules.ts';
import type { Stored } from '../forms/use-edit-form.ts';
import type { UPDATE_DEPLOYMENT } from './documents.ts';
import type { DeploymentData } from './obstacles.ts';

const { fields } = DEPLOYMENT_BRANDING;

/** Empty texts stand for the default. */
export const appearanceSchema = z.object({
  name: optionalText(fields.name.most),
  /** The address of a picture: a path for the stored logo, a data: URL for a new one. */
  logo: z.string(),
  accent: z.string().check(z.refine((text) => text === '' || COLOR_PATTERN.test(text), 'Enter a color like #3b4ce0.')),
  greeting: optionalText(fields.greeting.most),
  suggestedPrompts: z
    .array(z.object({ text: requiredText('a prompt', suggestedPrompt.most) }))
    .check(atMost(fields.suggestedPrompts.most, 'prompts')),
  theme: z.enum(['AUTO', 'LIGHT', 'DARK']),
  language: z.enum(BRANDING_LANGUAGES.map(enumNameOf)),
  launcherPosition: z.enum(['RIGHT', 'LEFT']),
  launcherText: optionalText(fields.launcherText.most),
});

export type Appearance = z.input<typeof appearanceSchema>;

type StoredDeployment = Pick<DeploymentData, 'deploymentId' | 'branding' | 'updatedAt'>;

export function storedAppearance({ deploymentId, branding, updatedAt }: StoredDeployment): Stored<Appearance> {
  const { name, accent, greeting, launcherText, logoUrl, suggestedPrompts } = branding;
  const { theme, language, launcherPosition } = branding;
  return {
    version: updatedAt,
    values: {
      name: name ?? '',
      logo: logoUrl === null ? '' : logoPath(deploymentId, logoUrl),
      accent: accent ?? '',
      greeting: greeting ?? '',
      suggestedPrompts: suggestedPrompts.map((text) => ({ text })),
      ...{ theme, language, launcherPosition },
      launcherText: launcherText ?? '',
    },
  };
}

/** The hosted pages can have another host, whose pictures the policy of the dashboard forbids. */
const logoPath = (deploymentId: string, url: string) => `/logos/${deploymentId}/${url.split('/').at(-1)}`;

type Branding = NonNullable<VariablesOf<typeof UPDATE_DEPLOYMENT>['input']['branding']>;

/** The input of the mutation. It contains only the changed fields, so it keeps what somebody else changes meanwhile. */
export function brandingInput(base: Appearance, { suggestedPrompts, logo, ...rest }: Appearance): Branding {
  const changed = Object.entries(rest).filter(([name, value]) => value !== base[name as keyof Appearance]);
  const arePromptsChanged = JSON.stringify(suggestedPrompts) !== JSON.stringify(base.suggestedPrompts);
  return {
    ...Object.fromEntries(changed.map(([name, value]) => [name, value.trim() === '' ? null : value])),
    ...(arePromptsChanged && { suggestedPrompts: suggestedPrompts.map(({ text }) => text) }),
    // data:TYPE;base64,CONTENT
    ...(logo !== base.logo && { logo: logo === '' ? null : logo.replace(/^[^,]*,/, '') }),
  };
}

/** The service names `branding.suggestedPrompts[1]`. The form's field is `suggestedPrompts.1.text`. */
export const appearanceField = (path: string): string =>
  path.replace(/^branding\./, '').replace(/^suggestedPrompts\.\d+$/, '$&.text');
