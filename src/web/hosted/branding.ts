import { ACCENT_SURROUNDINGS, type Accent } from '../../contract/branding/accent.ts';
import type { PageBranding } from '../../contract/branding/branding.ts';
import { showTheme } from '../ui/theme.ts';

/** The page data of a hosted page. */
export interface HostedData {
  readonly deploymentId: string;
  /** The name of the deployment. */
  readonly name: string;
  readonly triggerRequired: boolean;
  /** The limit of one file. */
  readonly maxFileBytes: number;
  /** Whether its users can edit messages, regenerate replies and fork conversations. */
  readonly allowEditing: boolean;
  readonly branding: PageBranding;
  /** Hosts of sites that can identify their user to the page. */
  readonly allowlist: readonly string[];
}

/** The name that the page shows. */
export const nameOf = ({ name, branding }: Pick<HostedData, 'name' | 'branding'>): string => branding.name ?? name;

/** Shows the theme and the accent color of the deployment, and follows the system's theme if the deployment does. */
export function applyBranding({ theme, accent }: Pick<PageBranding, 'theme' | 'accent'>): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  if (theme !== 'auto') showTheme(theme);
  if (!accent) return;
  const show = () => showAccent(accent, theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme);
  show();
  dark.addEventListener('change', show);
}

function showAccent(accent: Accent, theme: keyof Accent): void {
  const { style } = document.documentElement;
  style.setProperty('--color-accent', accent[theme]);
  style.setProperty('--color-on-accent', ACCENT_SURROUNDINGS[theme].onAccent);
  // A stronger tint would have too little contrast with text in the accent color.
  style.setProperty('--color-accent-soft', `color-mix(in srgb, ${accent[theme]} 8%, var(--color-surface))`);
}
