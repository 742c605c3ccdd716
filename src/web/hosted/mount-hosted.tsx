import type { ReactNode } from 'react';
import { languageOf, localeOf } from '../../contract/branding/languages.ts';
import { loadTexts } from '../texts/languages.ts';
import { mount, pageData } from '../ui/mount.tsx';
import { applyBranding, type HostedData } from './branding.ts';
import { isIdentified } from './host-token.ts';
import { Identified } from './identified.tsx';
import { keepInMemory } from './tab-storage.ts';
import type { UserSession } from './user-session.ts';

/** Renders a hosted page. `user` is undefined for a visitor. */
export type RenderHosted = (data: HostedData, user: UserSession | undefined) => ReactNode;

/** Renders a hosted page with the branding of its deployment, in the language of the deployment or of the user. */
export async function mountHosted(render: RenderHosted): Promise<void> {
  const data = pageData<HostedData>();
  const { theme, accent, language: setting } = data.branding;
  const language = languageOf(setting, navigator.languages);
  const texts = await loadTexts(language);
  applyBranding({ theme, accent });
  // The next user of this browser must not find anything.
  if (isIdentified) keepInMemory();
  const page = isIdentified ? (
    <Identified allowlist={data.allowlist} page={(user) => render(data, user)} />
  ) : (
    render(data, undefined)
  );
  mount(page, texts, localeOf(language, navigator.languages));
}
