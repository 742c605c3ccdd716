import type { WidgetBranding } from '../../contract/branding/branding.ts';

const LIGHT = '--accent: #3b4ce0; --on-accent: #fff; --surface: #fff; --ink: #16181d; --line: #dde0e7';
const DARK = '--accent: #9aa6ff; --on-accent: #10122b; --surface: #16181e; --ink: #ecedf2; --line: #2b2e38';

/** The style sheet of the widget. In a shadow root, so that the site's styles do not apply. */
export function stylesOf({ theme, accent, launcherPosition }: WidgetBranding): CSSStyleSheet {
  // A language written from right to left mirrors the widget.
  const side = launcherPosition === 'right' ? 'inset-inline-end' : 'inset-inline-start';
  const light = `:host { ${LIGHT}; ${accent ? `--accent: ${accent.light}` : ''} }`;
  const dark = `:host { ${DARK}; ${accent ? `--accent: ${accent.dark}` : ''} }`;
  const colors = { light, dark, auto: `${light} @media (prefers-color-scheme: dark) { ${dark} }` }[theme];
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host { all: initial }
    ${colors}
    button { all: unset; box-sizing: border-box; cursor: pointer; display: grid; place-items: center }
    button:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px }
    svg { width: 26px; height: 26px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round }
    .launcher { position: fixed; z-index: 2147483647; ${side}: 20px; bottom: 20px; min-width: 56px; height: 56px; border-radius: 28px; background: var(--accent); color: var(--on-accent); font: 500 16px/1.25 system-ui, sans-serif; box-shadow: 0 4px 16px #0005; grid-auto-flow: column; gap: 8px }
    .launcher.wide { padding-inline: 16px 20px; max-width: calc(100vw - 40px) }
    .text { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
    .launcher[aria-expanded=true].wide { padding: 0 }
    .launcher svg + svg, .launcher[aria-expanded=true] :is(svg:first-child, .text) { display: none }
    .launcher[aria-expanded=true] svg + svg { display: block }
    .badge { position: absolute; top: -4px; ${side}: -4px; min-width: 22px; height: 22px; padding: 0 6px; box-sizing: border-box; border-radius: 11px; background: #b42318; color: #fff; font-size: 13px; line-height: 22px; text-align: center }
    .badge::after { content: attr(data-count) }
    .status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
    .panel { position: fixed; z-index: 2147483647; ${side}: 20px; bottom: 88px; width: min(380px, calc(100vw - 40px)); height: min(600px, calc(100dvh - 108px)); display: flex; flex-direction: column; overflow: hidden; border: 1px solid var(--line); border-radius: 16px; background: var(--surface); color: var(--ink); box-shadow: 0 8px 40px #0004 }
    .panel.message { height: auto; padding: 24px; box-sizing: border-box }
    p { margin: 0; font: 16px/1.5 system-ui, sans-serif; text-align: center }
    [hidden], .close { display: none !important }
    iframe { flex: 1; width: 100%; min-height: 0; border: 0; color-scheme: ${theme === 'auto' ? 'light dark' : theme} }
    @media (max-width: 480px) {
      .panel { inset: 0; width: auto; height: auto; border: 0; border-radius: 0 }
      .panel.message { padding: 0; height: auto }
      p { margin: auto; padding: 0 24px }
      .close { display: grid !important; align-self: flex-end; width: 48px; height: 48px }
      .close:focus-visible { outline-offset: -6px }
      .launcher[aria-expanded=true] { display: none }
    }`);
  return sheet;
}
