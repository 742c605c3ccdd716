import { type Accent, accentOf } from '../../contract/branding/accent.ts';
import type {
  BrandingLanguage,
  BrandingTheme,
  LauncherPosition,
  PageBranding,
} from '../../contract/branding/branding.ts';
import type { Prisma } from '../../db/generated/client.ts';

/** A stored logo, without its picture. */
export interface Logo {
  /** The start of the SHA-256 of the picture, in hexadecimal digits. */
  readonly digest: string;
  readonly mimeType: string;
}

/** The branding of a deployment. */
export interface Branding {
  readonly name: string | null;
  readonly logo: Logo | null;
  /** The owner's colour, as `#rrggbb` in lower case. Pages use its shades. */
  readonly accent: string | null;
  readonly greeting: string | null;
  readonly suggestedPrompts: readonly string[];
  readonly theme: BrandingTheme;
  readonly launcherPosition: LauncherPosition;
  readonly launcherText: string | null;
  readonly language: BrandingLanguage;
}

export const DEFAULT_BRANDING: Branding = {
  name: null,
  logo: null,
  accent: null,
  greeting: null,
  suggestedPrompts: [],
  theme: 'auto',
  launcherPosition: 'right',
  launcherText: null,
  language: 'auto',
};

/** The branding in the column of a deployment. Only `storedBranding` writes that column. */
export function brandingOf(stored: unknown): Branding {
  return { ...DEFAULT_BRANDING, ...(stored as Partial<Branding>) };
}

/** The value of the column: the fields that differ from the default. */
export function storedBranding(branding: Branding): Prisma.JsonObject {
  // Every field is JSON. Interfaces have no index signature, so the compiler cannot see it.
  return changedFields(DEFAULT_BRANDING, branding) as Prisma.JsonObject;
}

/** The fields of `after` that differ from `before`. */
export function changedFields(before: Branding, after: Branding): Partial<Branding> {
  const earlier: Readonly<Record<string, unknown>> = { ...before };
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(earlier[name]) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}

/** The shades of the accent. Null: the service's own accent. */
export function accentShades({ accent }: Pick<Branding, 'accent'>): Accent | null {
  return accent === null ? null : accentOf(accent);
}

/** The path of a logo on this host. It contains the content's digest, so browsers can keep the picture. */
export function logoPath(deploymentId: string, logo: Logo | null): string | null {
  return logo && `/logos/${deploymentId}/${logo.digest}`;
}

/** The part of the branding that a hosted page needs. */
export function pageBranding(deploymentId: string, branding: Branding): PageBranding {
  const { name, logo, greeting, suggestedPrompts, theme, language } = branding;
  return {
    name,
    logoUrl: logoPath(deploymentId, logo),
    accent: accentShades(branding),
    greeting,
    suggestedPrompts,
    theme,
    language,
  };
}
