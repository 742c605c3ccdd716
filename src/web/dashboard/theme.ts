import { showTheme, type Theme } from '../ui/theme.ts';
import { localChoice } from './local-setting.ts';

const OPTIONS: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'auto', label: 'Like the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

const THEME = localChoice<Theme>('theme', ['auto', 'light', 'dark']);

/** Shows the theme that the user has chosen in this browser. */
export const showOwnTheme = (): void => showTheme(THEME.get());

/** The theme that the user has chosen in this browser, all themes with their labels, and a way to choose one. */
export function useTheme() {
  const [theme, set] = THEME.use();
  return {
    theme,
    options: OPTIONS,
    choose(value: Theme) {
      set(value);
      showTheme(value);
    },
  };
}
