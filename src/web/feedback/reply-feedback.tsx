import type { MessageRating } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Icon } from '../ui/icon.tsx';
import { useRateReply } from './rating-context.ts';
import { RatingControl } from './rating-control.tsx';

interface Props {
  /** The ID of the message or of its history item. */
  readonly messageId: number | string;
  readonly rating: MessageRating | undefined;
}

/** The rating of a reply: buttons on the pages of users, text elsewhere. */
export function ReplyFeedback({ messageId, rating }: Props) {
  const rate = useRateReply();
  if (rate) return <RatingControl {...{ rating }} onRate={(options) => rate(messageId, options)} />;
  return rating ? <RatingNote {...rating} /> : null;
}

function RatingNote({ value, comment }: MessageRating) {
  return (
    <div className="flex min-w-0 items-start gap-2 rounded-lg bg-sunken px-3 py-1.5 text-sm">
      <Icon name={value === 'up' ? 'thumbUp' : 'thumbDown'} className="mt-0.5 size-4" />
      <p className="min-w-0">
        <span className="font-medium">{texts().feedback[value]}</span>
        {comment && <span className="whitespace-pre-wrap break-words">: {comment}</span>}
      </p>
    </div>
  );
}
