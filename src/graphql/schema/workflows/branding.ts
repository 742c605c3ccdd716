import { TEXT_CONTRAST } from '../../../contract/branding/accent.ts';
import { BRANDING_LANGUAGES, BRANDING_THEMES, LAUNCHER_POSITIONS } from '../../../contract/branding/branding.ts';
import { LANGUAGE_NAMES, LANGUAGES, type Language } from '../../../contract/branding/languages.ts';
import { accentShades, type Branding, brandingOf, logoPath } from '../../../domain/branding/branding.ts';
import { builder } from '../builder.ts';
import { enumType } from '../enum-type.ts';
import { Deployment } from './deployments.ts';

const ThemeEnum = enumType('BrandingTheme', BRANDING_THEMES, {
  description: 'The theme of a hosted page and its widget.',
  values: {
    auto: "The theme of the user's system.",
    light: 'Dark text on light surfaces.',
    dark: 'Light text on dark surfaces.',
  },
});

const LANGUAGE_DESCRIPTIONS = Object.fromEntries(
  LANGUAGES.map((language) => [language, `${LANGUAGE_NAMES[language].english}.`]),
) as Record<Language, string>;

const LanguageEnum = enumType('BrandingLanguage', BRANDING_LANGUAGES, {
  description:
    'The language of the interface of a hosted page and its widget. It does not change what the model writes.',
  values: {
    auto: "The language of the user's browser, or English.",
    ...LANGUAGE_DESCRIPTIONS,
  },
});

const LauncherPositionEnum = enumType('LauncherPosition', LAUNCHER_POSITIONS, {
  description: 'Where the widget shows its launcher.',
  values: {
    right: 'At the bottom right. In a language written from right to left: at the bottom left.',
    left: 'At the bottom left. In a language written from right to left: at the bottom right.',
  },
});

interface OwnedBranding extends Branding {
  readonly deploymentId: string;
}

const AccentShades = builder.objectRef<{ readonly light: string; readonly dark: string }>('AccentShades').implement({
  description: `The shades of an accent colour. Text in them and on them has a contrast of at least ${TEXT_CONTRAST} : 1.`,
  fields: (t) => ({
    light: t.exposeString('light', { description: 'The colour in the light theme, for example #3b4ce0.' }),
    dark: t.exposeString('dark', { description: 'The colour in the dark theme, for example #9aa6ff.' }),
  }),
});

const BrandingObject = builder.objectRef<OwnedBranding>('DeploymentBranding').implement({
  description: 'The appearance of a hosted page and its widget.',
  fields: (t) => ({
    name: t.exposeString('name', {
      nullable: true,
      description: 'The name that users see. Null: the name of the deployment.',
    }),
    logoUrl: t.string({
      nullable: true,
      description:
        'URL of the logo. Public: it needs no credentials. It changes when the logo changes. Null: there is no logo.',
      resolve: ({ deploymentId, logo }, _args, { services }) =>
        logo && `${services.settings.chatUrl}${logoPath(deploymentId, logo)}`,
    }),
    accent: t.exposeString('accent', {
      nullable: true,
      description: "The owner's colour, for example #3b4ce0. Null: the service's own colours.",
    }),
    accentShades: t.field({
      type: AccentShades,
      nullable: true,
      description: 'The colours that pages use in place of `accent`. Null: `accent` is null.',
      resolve: (branding) => accentShades(branding),
    }),
    greeting: t.exposeString('greeting', {
      nullable: true,
      description: 'The text above an empty conversation. Null: the default text of the page.',
    }),
    suggestedPrompts: t.exposeStringList('suggestedPrompts', {
      description: 'First messages that users can send with one click.',
    }),
    theme: t.expose('theme', { type: ThemeEnum, description: 'The theme. Default: AUTO.' }),
    launcherPosition: t.expose('launcherPosition', {
      type: LauncherPositionEnum,
      description: 'Where the widget shows its launcher. Default: RIGHT.',
    }),
    launcherText: t.exposeString('launcherText', {
      nullable: true,
      description: 'The text on the launcher. Null: the launcher shows only an icon.',
    }),
    language: t.expose('language', { type: LanguageEnum, description: 'The language. Default: AUTO.' }),
  }),
});

builder.prismaObjectField(Deployment, 'branding', (t) =>
  t.field({
    type: BrandingObject,
    description: 'The appearance of its hosted page and its widget.',
    select: { branding: true },
    resolve: ({ id: deploymentId, branding }) => ({ deploymentId, ...brandingOf(branding) }),
  }),
);
