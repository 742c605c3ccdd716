import * as z from 'zod/mini';
import { COLOR_PATTERN } from '../contract/branding/accent.ts';
import { BRANDING_LANGUAGES, BRANDING_THEMES, LAUNCHER_POSITIONS } from '../contract/branding/branding.ts';
import { LIMITS } from '../contract/limits.ts';
import { formatBytes } from '../contract/quantities.ts';
import { input, required } from './field.ts';
import { choice, text, textOf, texts } from './kinds.ts';

const color = z.string().check(z.regex(COLOR_PATTERN, 'must be a colour like #3b4ce0'), z.toLowerCase());

export const suggestedPrompt = required(text({ says: 'A prompt', most: LIMITS.suggestedPromptLength }));

/** The domain also checks the picture. */
export const DEPLOYMENT_BRANDING = input(
  'DeploymentBrandingInput',
  'Changes to the appearance. Omitted fields keep their value. Null restores the default of a field.',
  {
    name: text({
      says: 'The name that users see',
      form: 'Default: the name of the deployment.',
      most: LIMITS.brandNameLength,
    }),
    logo: textOf(z.string(), {
      says: `A PNG, JPEG or WebP picture of at most ${formatBytes(LIMITS.logoBytes)}, as base64`,
      note: 'The service recognizes the format. SVG is not accepted. Null deletes the logo.',
    }),
    accent: textOf(color, {
      says: 'A colour like #3b4ce0',
      note: 'If it has too little contrast in a theme, pages use the nearest shade that has enough: see `accentShades`.',
    }),
    greeting: text({ says: 'The text above an empty conversation', most: LIMITS.greetingLength }),
    suggestedPrompts: texts(suggestedPrompt.rule, {
      says: `First messages that users can send with one click: {bounds}, with 1 to ${LIMITS.suggestedPromptLength} characters each`,
      note: 'The service removes duplicates.',
      most: LIMITS.suggestedPrompts,
      noun: 'prompts',
    }),
    theme: choice('The theme', BRANDING_THEMES, 'auto'),
    launcherPosition: choice('Where the widget shows its launcher', LAUNCHER_POSITIONS, 'right'),
    launcherText: text({
      says: 'The text on the launcher',
      form: 'Default: only an icon.',
      most: LIMITS.launcherTextLength,
    }),
    language: choice('The language of the interface', BRANDING_LANGUAGES, 'auto'),
  },
);
