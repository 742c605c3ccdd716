import { Link } from 'wouter';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Loaded } from '../frame/loaded.tsx';
import { useHref } from '../location.ts';
import { useServiceQuery } from '../requests.ts';
import { Content } from './content.tsx';
import { Details } from './details.tsx';
import { CONVERSATION } from './documents.ts';

/** A conversation next to the list: the timeline, what it waits for, and its details. */
export function ConversationPane({ id }: { readonly id: string }) {
  const href = useHref();
  const query = useServiceQuery(CONVERSATION, { id });
  return (
    <Loaded query={query}>
      {({ conversation }) =>
        conversation ? (
          <>
            <h2 className="text-lg font-semibold break-words">
              <Link to={href(`/conversations/${id}`)} className="hover:underline">
                {conversation.name}
              </Link>
            </h2>
            <Content conversation={conversation} />
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
