import { z } from 'zod';
import { COLOR_PATTERN } from '../../contract/accent.ts';
import { BRANDING_LANGUAGES, BRANDING_THEMES, LAUNCHER_POSITIONS } from '../../contract/branding.ts';
import { LIMITS } from '../../contract/limits.ts';
import { base64Data } from '../message-content.ts';
import { type Branding, DEFAULT_BRANDING } from './branding.ts';
import { type LogoFile, logoFile } from './logo.ts';

function text(length: number) {
  return z
    .string()
    .max(length, `must have at most ${length} characters`)
    .refine((value) => value.trim() !== '', 'must not be blank');
}

const logo = base64Data(LIMITS.logoBytes).transform((data, context) => {
  const file = logoFile(data);
  if (file) return file;
  context.addIssue({ code: 'custom', message: 'must be a PNG, JPEG or WebP picture' });
  return z.NEVER;
});

/** A change of a branding. Omitted fields keep their value. Null restores the default. */
export const brandingInput = z.object({
  name: text(LIMITS.brandNameLength).nullish(),
  logo: logo.nullish(),
  accent: z
    .string()
    .regex(COLOR_PATTERN, 'must be a colour like #3b4ce0')
    .transform((color) => color.toLowerCase())
    .nullish(),
  greeting: text(LIMITS.greetingLength).nullish(),
  suggestedPrompts: z
    .array(text(LIMITS.suggestedPromptLength))
    .max(LIMITS.suggestedPrompts, `must contain at most ${LIMITS.suggestedPrompts} prompts`)
    .transform((prompts) => [...new Set(prompts)])
    .nullish(),
  theme: z.enum(BRANDING_THEMES).nullish(),
  launcherPosition: z.enum(LAUNCHER_POSITIONS).nullish(),
  launcherText: text(LIMITS.launcherTextLength).nullish(),
  language: z.enum(BRANDING_LANGUAGES).nullish(),
});

type BrandingInput = z.output<typeof brandingInput>;

/** A changed branding. */
export interface BrandingChange {
  readonly branding: Branding;
  /** The picture to store. Null: delete it. Undefined: keep it. */
  readonly logo: LogoFile | null | undefined;
}

/** Applies a change. A null change restores the default branding. */
export function changedBranding(before: Branding, change: BrandingInput | null): BrandingChange {
  if (change === null) return { branding: DEFAULT_BRANDING, logo: null };
  const { logo: file, ...fields } = change;
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined);
  const defaults: Readonly<Record<string, unknown>> = { ...DEFAULT_BRANDING };
  const changed = Object.fromEntries(sent.map(([name, value]) => [name, value ?? defaults[name]]));
  const logo = file === undefined ? before.logo : file && { digest: file.digest, mimeType: file.mimeType };
  return { branding: { ...before, ...changed, logo }, logo: file };
}
