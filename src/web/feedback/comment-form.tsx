import { useState } from 'react';
import { LIMITS } from '../../contract/limits.ts';
import type { MessageRating } from '../../sdk/index.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/field.tsx';

interface Props {
  readonly rating: MessageRating;
  readonly isBusy: boolean;
  readonly onSend: (comment: string) => Promise<void>;
  readonly onClose: () => void;
}

/** The comment of a rating. */
export function CommentForm({ rating, isBusy, onSend, onClose }: Props) {
  const t = texts().feedback;
  const [comment, setComment] = useState(rating.comment ?? '');
  return (
    <form
      className="flex max-w-xl basis-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void onSend(comment);
      }}
    >
      <TextArea
        label={rating.value === 'up' ? t.commentUp : t.commentDown}
        rows={2}
        maxLength={LIMITS.ratingCommentLength}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      <div className="flex gap-2">
        <Button type="submit" small busy={isBusy}>
          {t.send}
        </Button>
        <Button look="quiet" small onClick={onClose}>
          {t.close}
        </Button>
      </div>
    </form>
  );
}
