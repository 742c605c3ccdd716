import type { Accent } from './accent.ts';
import { LANGUAGES } from './languages.ts';

/** The themes of hosted pages and the widget. `auto` follows the user's system. */
export const BRANDING_THEMES = ['auto', 'light', 'dark'] as const;

export type BrandingTheme = (typeof BRANDING_THEMES)[number];

/** The languages of hosted pages and the widget. `auto` follows the user's browser. */
export const BRANDING_LANGUAGES = ['auto', ...LANGUAGES] as const;

export type BrandingLanguage = (typeof BRANDING_LANGUAGES)[number];

/** The side of the window where the widget shows its launcher. */
export const LAUNCHER_POSITIONS = ['right', 'left'] as const;

export type LauncherPosition = (typeof LAUNCHER_POSITIONS)[number];

/** The branding of a deployment, as its hosted page receives it. */
export interface PageBranding {
  /** Replaces the name of the deployment. */
  readonly name: string | null;
  /** A path on the service's own host. */
  readonly logoUrl: string | null;
  /** Colours with enough contrast in each theme. Null: the service's own accent. */
  readonly accent: Accent | null;
  /** The text above an empty conversation. Null: the page's own text. */
  readonly greeting: string | null;
  /** First messages that users can send with one click. */
  readonly suggestedPrompts: readonly string[];
  readonly theme: BrandingTheme;
  readonly language: BrandingLanguage;
}

/** The branding that the widget needs before it opens the hosted page. */
export interface WidgetBranding extends Pick<PageBranding, 'accent' | 'theme' | 'language'> {
  readonly launcherPosition: LauncherPosition;
  /** The text on the launcher. Null: the launcher shows only an icon. */
  readonly launcherText: string | null;
}

/** The response of `GET /widget/{deployment_id}.json`. */
export type WidgetSettings =
  | { readonly state: 'open'; readonly kind: 'chat' | 'agent'; readonly branding: WidgetBranding }
  /** There is no such deployment, it is not published, or its hosted page is off. */
  | { readonly state: 'unavailable' }
  /** The deployment's allowlist does not contain the site. */
  | { readonly state: 'site_not_allowed' };
