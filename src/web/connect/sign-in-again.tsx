import type { ConnectTexts } from '../texts/connect/en.ts';

/** The page sends the browser to the issuer. */
export function SignInAgain({ href, t }: { readonly href: string; readonly t: ConnectTexts }) {
  return (
    <a
      href={href}
      className="inline-flex min-h-10 items-center self-start rounded-lg border border-line bg-surface px-4 font-medium text-ink hover:bg-sunken"
    >
      {t.signInAgain}
    </a>
  );
}
