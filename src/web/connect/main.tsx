import '../styles.css';
import type { ConnectPageData } from '../../contract/apps/connect-page.ts';
import { languageOf, localeOf } from '../../contract/branding/languages.ts';
import { applyBranding } from '../hosted/branding.ts';
import { loadTexts } from '../texts/languages.ts';
import { mount, pageData } from '../ui/mount.tsx';
import { loadConnectTexts } from './load-texts.ts';
import { ConnectPage } from './page.tsx';

/** Shows the page with the branding of the deployment, in its language or that of the person. */
async function show(): Promise<void> {
  const data = pageData<ConnectPageData>();
  const language = languageOf(data.branding?.language ?? 'auto', navigator.languages);
  const [texts, own] = await Promise.all([loadTexts(language), loadConnectTexts(language)]);
  if (data.branding) applyBranding(data.branding);
  mount(<ConnectPage data={data} t={own} />, texts, localeOf(language, navigator.languages));
}

void show();
