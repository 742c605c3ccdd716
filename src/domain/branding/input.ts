import { z } from 'zod';
import { LIMITS } from '../../contract/limits.ts';
import { DEPLOYMENT_BRANDING } from '../../shapes/branding.ts';
import { rulesOf } from '../../shapes/field.ts';
import { base64Data } from '../message-content.ts';
import { type Branding, DEFAULT_BRANDING } from './branding.ts';
import { type LogoFile, logoFile } from './logo.ts';

const logo = base64Data(LIMITS.logoBytes).transform((data, context) => {
  const file = logoFile(data);
  if (file) return file;
  context.addIssue({ code: 'custom', message: 'must be a PNG, JPEG or WebP picture' });
  return z.NEVER;
});

/** A change of a branding. Omitted fields keep their value. Null restores the default. */
export const brandingInput = z.object({ ...rulesOf(DEPLOYMENT_BRANDING.fields), logo: logo.nullish() });

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
