import { CodeBlock } from '../../ui/code.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useEnvironment } from '../location.ts';
import { Problems } from './check-result.tsx';
import type { DocumentData } from './document-data.ts';
import { snippetsOf } from './snippets.ts';
import { TypedFiles } from './typed-files.tsx';

/** Examples of calls to copy, and the typed files of the document. */
export function UseTab({ document: { name, check } }: { readonly document: DocumentData }) {
  const environment = useEnvironment();
  const { route, trustedId } = check;
  return (
    <>
      <Problems problems={check.problems} />
      {route && trustedId !== null && (
        <Section title="Call it">
          <div className="flex flex-col gap-4">
            <p className="text-muted">
              The examples need an API key of the {environment} environment with the scopes of the operation. The
              trusted ID needs the setting TRUSTED_DOCUMENTS.
            </p>
            {snippetsOf({ name, route, trustedId, environment, origin: location.origin }).map(({ label, text }) => (
              <CodeBlock key={label} label={label} text={text} />
            ))}
          </div>
        </Section>
      )}
      <Section title="Typed files">
        <TypedFiles name={name} />
      </Section>
    </>
  );
}
