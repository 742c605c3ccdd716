import type { JsonObject } from '../../../sdk/index.ts';
import { formats, JSON_NAME, texts } from '../../texts/current.ts';
import { JsonView } from '../../timeline/json-view.tsx';
import { titleOf } from '../../timeline/labels.ts';
import { argumentRows } from './argument-rows.ts';

interface Props {
  readonly args: JsonObject;
  /** The schema of the tool, for the order and the titles. */
  readonly schema: unknown;
}

/** The arguments of a call, one per row, and as JSON on demand. */
export function ArgumentsView({ args, schema }: Props) {
  const label = texts().calls.arguments;
  const rows = argumentRows(args, schema, formats().locale);
  if (rows.length === 0) return <JsonView label={label} value={args} />;
  return (
    <section aria-label={label} className="flex flex-col gap-3">
      <dl className="grid gap-x-6 sm:grid-cols-[fit-content(40%)_1fr] sm:items-baseline sm:gap-y-2">
        {rows.map(({ name, title, text, isCode }) => (
          <div key={name} className="contents">
            <dt className="text-sm text-muted wrap-anywhere">{title ?? titleOf(name)}</dt>
            <dd
              dir="auto"
              className={`mb-2 min-w-0 whitespace-pre-wrap wrap-anywhere sm:mb-0 ${isCode ? 'font-mono text-sm' : ''}`}
            >
              {text}
            </dd>
          </div>
        ))}
      </dl>
      <details>
        <summary className="cursor-pointer text-sm text-muted">{JSON_NAME}</summary>
        <div className="mt-2">
          <JsonView label={label} value={args} />
        </div>
      </details>
    </section>
  );
}
