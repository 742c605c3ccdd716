/** The colours of `styles.css` in each theme. Previews show a theme that the dashboard itself may not have. */
export const THEME_COLORS = {
  light: {
    canvas: '#f5f6f8',
    surface: '#ffffff',
    sunken: '#eeeef2',
    ink: '#16181d',
    muted: '#565a66',
    line: '#dde0e7',
    edge: '#868b99',
    accent: '#3b4ce0',
  },
  dark: {
    canvas: '#0e1014',
    surface: '#16181e',
    sunken: '#20222a',
    ink: '#ecedf2',
    muted: '#a4a8b5',
    line: '#2b2e38',
    edge: '#757986',
    accent: '#9aa6ff',
  },
} as const;
