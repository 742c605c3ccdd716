import type { CSSProperties } from 'react';
import { ACCENT_SURROUNDINGS, accentOf, COLOR_PATTERN } from '../../../contract/branding/accent.ts';
import { Icon } from '../../ui/icon.tsx';
import type { Appearance } from './appearance-values.ts';
import { THEME_COLORS } from './theme-colors.ts';

interface Props {
  readonly appearance: Appearance;
  readonly deploymentName: string;
  readonly kind: 'CHAT' | 'AGENT';
}

type Theme = 'light' | 'dark';

/** The hosted page and the launcher with the values of the form, in each theme that users can get. */
export function AppearancePreview({ appearance, ...rest }: Props) {
  const themes: readonly Theme[] = {
    AUTO: ['light', 'dark'] as const,
    LIGHT: ['light'] as const,
    DARK: ['dark'] as const,
  }[appearance.theme];
  return (
    <section aria-label="Preview" className="flex min-w-0 flex-col gap-4">
      {themes.map((theme) => (
        <figure key={theme} className="flex flex-col gap-1.5">
          <figcaption className="text-sm text-muted">Preview, {theme} theme</figcaption>
          <Page {...{ appearance, theme, ...rest }} />
        </figure>
      ))}
    </section>
  );
}

function Page({ appearance, deploymentName, kind, theme }: Props & { readonly theme: Theme }) {
  const { name, logo, greeting, suggestedPrompts, launcherPosition, launcherText } = appearance;
  const shownName = name.trim() || deploymentName;
  const standard = kind === 'AGENT' ? 'How can I help?' : `Write the first message to ${shownName}.`;
  // The service stores each prompt once.
  const prompts = [...new Set(suggestedPrompts.map(({ text }) => text.trim()))].filter((text) => text !== '');
  return (
    <div
      style={colorsOf(appearance, theme)}
      className="flex flex-col gap-3 rounded-lg border border-line bg-sunken p-3 text-ink"
    >
      <div className="flex flex-col overflow-hidden rounded-lg border border-line bg-canvas">
        <div className="flex items-center gap-2 border-b border-line bg-surface px-3 py-2">
          {logo !== '' && <img src={logo} alt="" className="size-6 rounded object-contain" />}
          <span className="min-w-0 flex-1 truncate font-semibold">{shownName}</span>
        </div>
        <div className="flex flex-col items-center gap-2 px-3 py-5 text-center">
          <span className="max-w-full font-semibold break-words whitespace-pre-line">
            {greeting.trim() || standard}
          </span>
          {prompts.map((text) => (
            <span
              key={text}
              className="max-w-full rounded-lg border border-line bg-surface px-2.5 py-1 text-sm break-words"
            >
              {text}
            </span>
          ))}
        </div>
        <div className="flex items-center gap-2 border-t border-line bg-surface p-2">
          <span className="h-8 flex-1 rounded-lg border border-edge" />
          <span className="grid size-8 place-items-center rounded-lg bg-accent text-on-accent">
            <Icon name="send" className="size-4" />
          </span>
        </div>
      </div>
      <span
        className={`inline-flex h-10 max-w-full items-center gap-2 rounded-full bg-accent px-3 text-on-accent ${launcherPosition === 'LEFT' ? 'self-start' : 'self-end'}`}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true" className="size-5 shrink-0 fill-none stroke-current stroke-2">
          <path d="M4 5h16v11H9l-5 4z" />
        </svg>
        {launcherText.trim() !== '' && <span className="truncate font-medium">{launcherText}</span>}
      </span>
    </div>
  );
}

function colorsOf({ accent }: Appearance, theme: Theme): CSSProperties {
  const colors = {
    ...THEME_COLORS[theme],
    ...(COLOR_PATTERN.test(accent) && { accent: accentOf(accent)[theme] }),
    'on-accent': ACCENT_SURROUNDINGS[theme].onAccent,
  };
  // Custom properties, which the type of styles does not name.
  return Object.fromEntries(Object.entries(colors).map(([name, color]) => [`--color-${name}`, color])) as CSSProperties;
}
