import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Link } from 'wouter';
import { LIMITS } from '../../../contract/limits.ts';
import { TextField } from '../../ui/field.tsx';
import { PageFrame } from '../frame/page-frame.tsx';
import { useGo, useHref } from '../location.ts';
import { UnsavedChangesGuard } from '../unsaved-changes.tsx';
import { Editor } from './editor.tsx';

const START = `"Counts the resources of a type."
query ResourceCount($type: String!) {
  resources(filter: { type: $type }) {
    totalCount
  }
}
`;

export function Page() {
  const go = useGo();
  const href = useHref();
  const [name, setName] = useState('');
  const [text, setText] = useState(START);
  const [isPublished, setPublished] = useState(false);
  return (
    <PageFrame
      title="New operation"
      lead={
        <Link to={href('/documents')} className="text-accent underline">
          All operations
        </Link>
      }
    >
      <TextField
        label="Name"
        hint="Lower-case words with underscores, like order_summary. It is part of the path and the name of the tool. It never changes."
        required
        autoComplete="off"
        spellCheck={false}
        maxLength={LIMITS.documentNameLength}
        className="sm:max-w-lg"
        value={name}
        onChange={(event) => setName(event.target.value.trim())}
      />
      <Editor
        draft={{ name, text }}
        onText={setText}
        isChanged
        version={0}
        onPublished={({ documentId }) => {
          // The guard must be gone before the navigation.
          flushSync(() => setPublished(true));
          go(`/documents/${documentId}`);
        }}
      />
      <UnsavedChangesGuard unsaved={!isPublished && (name !== '' || text !== START)} />
    </PageFrame>
  );
}
