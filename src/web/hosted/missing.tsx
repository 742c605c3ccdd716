import '../styles.css';
import { useEffect } from 'react';
import { BRANDING_LANGUAGES } from '../../contract/branding/branding.ts';
import { languageOf, localeOf } from '../../contract/branding/languages.ts';
import { texts } from '../texts/current.ts';
import { loadTexts } from '../texts/languages.ts';
import { mount, pageData } from '../ui/mount.tsx';

/** The title and the advice for an error of the service. */
function textsOf(code: string): readonly [title: string, advice: string] {
  const { missing: t, entry } = texts();
  if (code === 'not_found') return [t.notFound, t.notFoundAdvice];
  if (code === 'rate_limited') return [t.limited, t.limitedAdvice];
  if (code === 'unavailable') return [t.unavailable, t.unavailableAdvice];
  return [entry.pageNotLoaded, t.otherAdvice];
}

/** The page for an address that cannot be shown. */
function Missing({ code = '' }: { readonly code?: string }) {
  const [title, advice] = textsOf(code);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-3 p-6 text-center">
      <h1 className="text-2xl font-semibold text-balance">{title}</h1>
      <p className="text-balance text-muted">{advice}</p>
    </main>
  );
}

/** Shows the page in the language of the link, as a widget asks for it, or of the browser. */
async function show(): Promise<void> {
  const wish = new URLSearchParams(window.location.search).get('lang');
  const setting = BRANDING_LANGUAGES.find((known) => known === wish) ?? 'auto';
  const language = languageOf(setting, navigator.languages);
  const locale = localeOf(language, navigator.languages);
  mount(<Missing {...pageData<{ code?: string }>()} />, await loadTexts(language), locale);
}

void show();
