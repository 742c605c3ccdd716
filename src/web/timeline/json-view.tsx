import type { JsonObject } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { CopyButton } from '../ui/copy-button.tsx';

/** An object as JSON, with a button that copies it. */
export function JsonView({ label, value }: { readonly label: string; readonly value: JsonObject }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line ps-3">
        <span className="text-sm font-medium">{label}</span>
        <CopyButton text={text} label={texts().ui.copyNamed(label)} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <pre dir="ltr" tabIndex={0} className="max-h-80 overflow-auto p-3 font-mono text-sm leading-relaxed">
        {text}
      </pre>
    </div>
  );
}
