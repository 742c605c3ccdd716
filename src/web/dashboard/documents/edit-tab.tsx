import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import type { DocumentData } from './document-data.ts';
import { Editor } from './editor.tsx';

/** The text of a version. */
interface Base {
  readonly text: string;
  readonly version: number;
}

const baseOf = ({ current, version }: DocumentData): Base => ({ text: current?.text ?? '', version });

/** Edits the current text. If somebody else publishes meanwhile, the user decides about the newer text. */
export function EditTab({ document }: { readonly document: DocumentData }) {
  const [base, setBase] = useState(() => baseOf(document));
  const [text, setText] = useState(base.text);
  const isOutdated = document.version > base.version;
  const load = () => {
    const next = baseOf(document);
    setBase(next);
    setText(next.text);
  };
  return (
    <>
      {isOutdated && (
        <Notice
          tone="warn"
          action={
            <Button small onClick={load}>
              Load version {document.version}
            </Button>
          }
        >
          Version {document.version} was published after you opened this page. Copy your text before you load it.
        </Notice>
      )}
      <Editor
        draft={{ name: document.name, text }}
        onText={setText}
        isChanged={text !== base.text}
        version={base.version}
        current={{ draft: { name: document.name, text: base.text }, check: document.check }}
        blocked={isOutdated ? `Load version ${document.version} first.` : undefined}
        onPublished={({ version }, draft) => setBase({ text: draft.text, version })}
      />
      <UnsavedChangesGuard unsaved={text !== base.text} />
    </>
  );
}
