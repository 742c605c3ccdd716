/** An accent colour for each theme, as `#rrggbb`. */
export interface Accent {
  readonly light: string;
  readonly dark: string;
}

/** The form of a colour: `#` and six hexadecimal digits. */
export const COLOR_PATTERN = /^#[0-9a-f]{6}$/i;

/** The contrast of text that WCAG 2.2 AA requires (1.4.3). */
export const TEXT_CONTRAST = 4.5;

/**
 * The colours next to the accent in each theme: the text on an accent area, and the surface under accent text that has
 * the lowest contrast. `src/web/styles.css` has the same colours.
 */
export const ACCENT_SURROUNDINGS = {
  light: { onAccent: '#ffffff', surface: '#eeeef2' },
  dark: { onAccent: '#10122b', surface: '#20222a' },
} as const;

/** Steps between a colour and black or white. One step is less than the eye distinguishes. */
const STEPS = 128;

/**
 * The shades of a colour that have enough contrast, as text and under text, in the light and the dark theme. A colour
 * with enough contrast is its own shade. Otherwise it is mixed with as little black (light theme) or white (dark theme)
 * as possible. Every colour has such shades.
 * @param color a colour as in `COLOR_PATTERN`
 * @example
 * accentOf('#ffd400'); // { light: '#806a00', dark: '#ffd400' }
 */
export function accentOf(color: string): Accent {
  return { light: shadeOf(color, 'light', '#000000'), dark: shadeOf(color, 'dark', '#ffffff') };
}

/** The lowest contrast of an accent colour with its surroundings in a theme: 1 to 21. */
export function accentContrast(color: string, theme: keyof Accent): number {
  const { onAccent, surface } = ACCENT_SURROUNDINGS[theme];
  return Math.min(contrastOf(color, onAccent), contrastOf(color, surface));
}

/** The contrast ratio of two colours (WCAG 2.2): 1 to 21. */
export function contrastOf(first: string, second: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(first), luminanceOf(second)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function shadeOf(color: string, theme: keyof Accent, end: string): string {
  for (let step = 0; step < STEPS; step += 1) {
    const shade = mixed(color, end, step / STEPS);
    if (accentContrast(shade, theme) >= TEXT_CONTRAST) return shade;
  }
  return end;
}

function mixed(color: string, end: string, part: number): string {
  const [from, to] = [channelsOf(color), channelsOf(end)];
  const channels = from.map((channel, index) => Math.round(channel + ((to[index] ?? 0) - channel) * part));
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const value = channel / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The red, green and blue of a colour: 0 to 255. */
function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
