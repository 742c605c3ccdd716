import { showTheme, type Theme } from '../ui/theme.ts';
import { localChoice } from './local-setting.ts';

const THEMES = { auto: 'Like the system', light: 'Light', dark: 'Dark' } as const satisfies Record<Theme, string>;

const THEME = localChoice<Theme>('theme', ['auto', 'light', 'dark']);

/** Shows the theme that the user has chosen in this browser. */
export const showOwnTheme = (): void => showTheme(THEME.get());

interface ThemeOption {
  readonly value: Theme;
  readonly label: string;
}

/** The theme that the user has chosen in this browser, all themes with their labels, and a way to choose one. */
export function useTheme() {
  const [theme, set] = THEME.use();
  return {
    theme,
    options: Object.entries(THEMES).map(([value, label]) => ({ value, label }) as ThemeOption),
    choose(value: Theme) {
      set(value);
      showTheme(value);
    },
  };
}
