import { type Control, type FieldPath, type FieldValues, useController } from 'react-hook-form';
import {
  ACCENT_SURROUNDINGS,
  accentContrast,
  accentOf,
  COLOR_PATTERN,
  TEXT_CONTRAST,
} from '../../../contract/branding/accent.ts';
import { Button } from '../../ui/button.tsx';
import { FormTextField } from '../forms/fields.tsx';

interface Props<Values extends FieldValues, Output> {
  readonly control: Control<Values, unknown, Output>;
  readonly name: FieldPath<Values>;
}

/** A colour, and the shades with enough contrast that pages use for it. */
export function AccentField<Values extends FieldValues, Output>({ control, name }: Props<Values, Output>) {
  const { field } = useController({ control, name });
  const color: string = field.value;
  const isColor = COLOR_PATTERN.test(color);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex items-end gap-2">
        <FormTextField
          {...{ control, name }}
          label="Accent color"
          placeholder="#3b4ce0"
          className="min-w-0 flex-1 sm:max-w-48"
          autoComplete="off"
          spellCheck={false}
        />
        <input
          type="color"
          aria-label="Choose the accent color"
          value={isColor ? color.toLowerCase() : '#3b4ce0'}
          onChange={({ target }) => field.onChange(target.value)}
          className="h-10.5 w-12 shrink-0 cursor-pointer rounded-lg border border-edge bg-surface p-1"
        />
        {color !== '' && (
          <Button look="quiet" onClick={() => field.onChange('')}>
            Use the default
          </Button>
        )}
      </div>
      {isColor && <Shades color={color.toLowerCase()} />}
    </div>
  );
}

const THEMES = [
  { theme: 'light', label: 'Light theme' },
  { theme: 'dark', label: 'Dark theme' },
] as const;

const ratio = new Intl.NumberFormat('en', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
  roundingMode: 'trunc',
});

function Shades({ color }: { readonly color: string }) {
  const shades = accentOf(color);
  return (
    <ul aria-label="Contrast of the accent color" className="flex flex-col gap-1.5 text-sm">
      {THEMES.map(({ theme, label }) => {
        const shade = shades[theme];
        const own = accentContrast(color, theme);
        return (
          <li key={theme} className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <span
              aria-hidden="true"
              className="rounded px-2 py-0.5 font-medium"
              style={{ background: shade, color: ACCENT_SURROUNDINGS[theme].onAccent }}
            >
              Text
            </span>
            <span>
              {label}: <code>{shade}</code>, contrast {ratio.format(accentContrast(shade, theme))} : 1
            </span>
            {shade !== color && (
              <span className="text-muted">
                Your color has {ratio.format(own)} : 1 and text needs {TEXT_CONTRAST} : 1, so pages use this shade.
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
