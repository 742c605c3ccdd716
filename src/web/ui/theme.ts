/** A theme of the page: the one of the system, or always the same. */
export type Theme = 'auto' | 'light' | 'dark';

const SCHEME = /^\(prefers-color-scheme: ?(light|dark)\)$/;

/** The rules for one theme of the system. A rule that is turned on or off does not say any more which theme it is for. */
const schemes = new WeakMap<CSSMediaRule, string>();

const listeners = new Set<() => void>();

/** Shows a theme. Styles name each color once: the rules for a theme of the system are turned on or off. */
export function showTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === 'auto' ? '' : theme;
  for (const sheet of document.styleSheets) showIn(sheet.cssRules, theme);
  for (const listener of listeners) listener();
}

function showIn(rules: CSSRuleList, theme: Theme): void {
  for (const rule of rules) {
    const scheme = rule instanceof CSSMediaRule ? schemeOf(rule) : undefined;
    if (rule instanceof CSSMediaRule && scheme) rule.media.mediaText = mediaOf(scheme, theme);
    else if (rule instanceof CSSGroupingRule) showIn(rule.cssRules, theme);
  }
}

function schemeOf(rule: CSSMediaRule): string | undefined {
  const scheme = schemes.get(rule) ?? SCHEME.exec(rule.conditionText)?.[1];
  if (scheme) schemes.set(rule, scheme);
  return scheme;
}

function mediaOf(scheme: string, theme: Theme): string {
  if (theme === 'auto') return `(prefers-color-scheme: ${scheme})`;
  return scheme === theme ? 'all' : 'not all';
}

/** Calls the listener when the colors of the page change. Returns a function that ends this. */
export function onThemeChange(listener: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', listener);
  listeners.add(listener);
  return () => {
    dark.removeEventListener('change', listener);
    listeners.delete(listener);
  };
}
