import type { WidgetBranding, WidgetSettings } from '../../contract/branding/branding.ts';

const DEFAULT_BRANDING: WidgetBranding = {
  accent: null,
  theme: 'auto',
  language: 'auto',
  launcherPosition: 'right',
  launcherText: null,
};

/** The settings for sites whose policy forbids to read them, and while the service does not respond. */
const DEFAULT_SETTINGS: WidgetSettings = { state: 'open', kind: 'chat', branding: DEFAULT_BRANDING };

const TIMEOUT_MS = 5_000;

/** Never rejects: the widget works without its settings. */
export async function loadSettings(deployment: string, service: string): Promise<WidgetSettings> {
  try {
    const response = await fetch(new URL(`/widget/${deployment}.json`, service), {
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // The service of the site's own script element wrote it.
    return response.ok ? ((await response.json()) as WidgetSettings) : DEFAULT_SETTINGS;
  } catch {
    return DEFAULT_SETTINGS;
  }
}

export function brandingOf(settings: WidgetSettings): WidgetBranding {
  return settings.state === 'open' ? settings.branding : DEFAULT_BRANDING;
}
