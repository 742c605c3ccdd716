import { useRef, useState } from 'react';
import { type Beginning, Composer } from '../../messages/composer.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ErrorNotice } from '../frame/loaded.tsx';
import { useServiceMutation } from '../requests.ts';
import { SUGGEST_REPLY } from './documents.ts';
import { useMemberMessages } from './use-member-messages.ts';

interface Props {
  /** The ID of the conversation. */
  readonly id: string;
  readonly onType: (text: string) => void;
}

/** The message field of the member who has the conversation, with a button that lets the assistant suggest a text. */
export function MemberComposer({ id, onType }: Props) {
  const { send, error } = useMemberMessages(id);
  const suggestion = useServiceMutation(SUGGEST_REPLY);
  const [beginning, setBeginning] = useState<Beginning>();
  const written = useRef('');
  const onChange = (text: string) => {
    written.current = text;
    onType(text);
  };
  const suggest = async () => {
    const suggested = await suggestion.mutate({ id });
    if (!suggested) return;
    // It replaces only an earlier suggestion, never what the member has written.
    const isKept = written.current.trim() !== '' && written.current !== beginning?.text;
    const text = isKept ? `${written.current}\n\n${suggested.text}` : suggested.text;
    written.current = text;
    setBeginning({ text });
  };
  return (
    <section aria-label="Your message" data-composer className="flex flex-col gap-2">
      {error && <Notice tone="danger">{error}</Notice>}
      <ErrorNotice error={suggestion.error} />
      <Composer
        label="Message to the user"
        placeholder="Write to the user"
        onSend={send}
        onType={onChange}
        {...{ beginning }}
      />
      <Button look="quiet" small busy={suggestion.busy} onClick={suggest} className="self-start">
        {!suggestion.busy && <Icon name="bolt" className="size-4" />}
        Suggest a reply
      </Button>
    </section>
  );
}
