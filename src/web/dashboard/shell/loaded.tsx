import type { ReactNode } from 'react';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import type { Reading } from '../requests.ts';

interface Props<Data> {
  readonly reading: Reading<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** What was read, or why it was not. What was read before stays on the page while it is read again. */
export function Loaded<Data>({ reading: { data, fault, again }, children }: Props<Data>) {
  return (
    <>
      {fault && (
        <Notice
          tone="danger"
          action={
            <Button small onClick={again}>
              Try again
            </Button>
          }
        >
          {fault.message}
        </Notice>
      )}
      {data !== undefined && children(data)}
      {data === undefined && !fault && <Waiting />}
    </>
  );
}
