import type { ReactNode } from 'react';
import { languageOf, loadTexts, localeOf } from '../texts/languages.ts';
import { mount, pageData } from '../ui/mount.tsx';
import { applyBranding, type HostedData } from './branding.ts';

/** Renders a hosted page with the branding of its deployment, in the language of the deployment or of the user. */
export async function mountHosted(page: (data: HostedData) => ReactNode): Promise<void> {
  const data = pageData<HostedData>();
  const { theme, accent, language: setting } = data.branding;
  const language = languageOf(setting, navigator.languages);
  const texts = await loadTexts(language);
  applyBranding({ theme, accent });
  mount(page(data), texts, localeOf(language, navigator.languages));
}
