import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ACCENT_SURROUNDINGS,
  accentContrast,
  accentOf,
  contrastOf,
  TEXT_CONTRAST,
} from '../../src/contract/branding/accent.ts';
import { THEME_COLORS } from '../../src/web/dashboard/deployments/theme-colors.ts';
import { ROOT } from '../support/database.ts';

/** Colours on a grid through all of sRGB: each channel in steps of 51. */
const GRID = Array.from({ length: 216 }, (_, index) => {
  const channels = [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6];
  return `#${channels.map((channel) => (channel * 51).toString(16).padStart(2, '0')).join('')}`;
});

describe('the contrast of two colours', () => {
  it.each([
    ['#ffffff', '#000000', 21],
    ['#ffffff', '#ffffff', 1],
    // The examples of WCAG's authors: the lightest grey that passes on white, and the next one.
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
  ])('of %s and %s is %d', (first, second, contrast) => {
    expect(contrastOf(first, second)).toBeCloseTo(contrast, 2);
    expect(contrastOf(second, first)).toBeCloseTo(contrast, 2);
  });
});

describe('the shades of an accent colour', () => {
  it('have enough contrast in both themes, for every colour', () => {
    for (const color of GRID) {
      const { light, dark } = accentOf(color);
      expect(accentContrast(light, 'light'), color).toBeGreaterThanOrEqual(TEXT_CONTRAST);
      expect(accentContrast(dark, 'dark'), color).toBeGreaterThanOrEqual(TEXT_CONTRAST);
    }
  });

  it('are the colour itself if it has enough contrast', () => {
    expect(accentOf('#3b4ce0').light).toBe('#3b4ce0');
    expect(accentOf('#9aa6ff').dark).toBe('#9aa6ff');
    expect(accentOf('#ffd400')).toEqual({ light: '#806a00', dark: '#ffd400' });
  });

  it('are the nearest that have: one step less is too little', () => {
    const { light } = accentOf('#ffd400');
    const lighter = `#${[1, 3, 5]
      .map((at) =>
        Math.min(255, Number.parseInt(light.slice(at, at + 2), 16) + 3)
          .toString(16)
          .padStart(2, '0'),
      )
      .join('')}`;
    expect(accentContrast(lighter, 'light')).toBeLessThan(TEXT_CONTRAST);
  });
});

describe('the colours of the style sheet', () => {
  const sheet = readFileSync(join(ROOT, 'src/web/styles.css'), 'utf8');
  const [light = '', dark = ''] = sheet.split('prefers-color-scheme: dark');
  it.each([
    ['light', light],
    ['dark', dark],
  ] as const)('are those that contrast and preview use in the %s theme', (theme, text) => {
    const colors = Object.fromEntries(
      [...text.matchAll(/--color-([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name, color]) => [name, color]),
    );
    expect(colors).toMatchObject(THEME_COLORS[theme]);
    expect(colors['on-accent']).toBe(ACCENT_SURROUNDINGS[theme].onAccent);
    expect(colors.sunken).toBe(ACCENT_SURROUNDINGS[theme].surface);
  });
});
