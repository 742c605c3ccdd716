import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { useHref, useTakesFocus } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { Content } from './content.tsx';
import { Details } from './details.tsx';
import { CONVERSATION } from './documents.ts';

interface Props {
  readonly id: string;
  /** A link to what the member can do after an answer. */
  readonly next?: ReactNode;
}

function focusOnce(heading: HTMLElement | null): void {
  if (document.activeElement === document.body) heading?.focus();
}

/** A conversation next to the list: the timeline, what it waits for, and its details. */
export function ConversationPane({ id, next }: Props) {
  const href = useHref();
  const takesFocus = useTakesFocus();
  const query = useServiceQuery(CONVERSATION, { id });
  return (
    <Loaded query={query}>
      {({ conversation }) =>
        conversation ? (
          <>
            <h2 ref={takesFocus ? focusOnce : null} tabIndex={-1} className="text-lg font-semibold break-words">
              <Link to={href(`/conversations/${id}`)} className="hover:underline">
                {conversation.name}
              </Link>
            </h2>
            <Content {...{ conversation, next }} />
            <details className="group">
              <summary className="flex cursor-pointer list-none items-center gap-2 font-medium">
                <Icon name="chevron" className="size-4 text-muted transition group-open:rotate-90" />
                Details
              </summary>
              <div className="mt-3">
                <Details {...conversation} />
              </div>
            </details>
          </>
        ) : (
          <Notice>This conversation was deleted.</Notice>
        )
      }
    </Loaded>
  );
}
