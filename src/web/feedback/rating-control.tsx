import { useState } from 'react';
import type { MessageRating, RateMessageOptions, RatingValue } from '../../sdk/index.ts';
import { ON_HOVER } from '../messages/on-hover.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { CommentForm } from './comment-form.tsx';

interface Props {
  readonly rating: MessageRating | undefined;
  readonly onRate: (options: RateMessageOptions) => Promise<unknown>;
}

/**
 * Two buttons in the line below a reply that rate a reply, and a comment after a rating. A second click removes the rating. Unrated buttons appear when
 * the pointer or the focus is in the reply, and always on touch screens. They are not announced with a new reply.
 */
export function RatingControl({ rating, onRate }: Props) {
  const t = texts().feedback;
  const [isEditing, setEditing] = useState(false);
  const [outcome, setOutcome] = useState<'thanks' | 'failed'>();
  /** The rating that is being saved. */
  const [saving, setSaving] = useState<RatingValue | null>();
  const shown = saving === undefined ? (rating?.value ?? null) : saving;

  const save = async (options: RateMessageOptions) => {
    setSaving(options.rating);
    setOutcome(undefined);
    const isSaved = await onRate(options).then(
      () => true,
      () => false,
    );
    setSaving(undefined);
    setOutcome(isSaved ? (options.rating ? 'thanks' : undefined) : 'failed');
    return isSaved;
  };
  const press = async (value: RatingValue) => {
    const next = shown === value ? null : value;
    if (next === null) setEditing(false);
    const isSaved = await save({ rating: next });
    if (isSaved && next !== null) setEditing(true);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be announced as a form
    <div role="group" aria-label={t.group} aria-live="off" className="contents">
      <div className={`flex min-h-8 flex-wrap items-center text-sm ${shown || isEditing || outcome ? '' : ON_HOVER}`}>
        {(['up', 'down'] as const).map((value) => (
          <Button
            key={value}
            look="quiet"
            small
            aria-label={t[value]}
            title={t[value]}
            aria-pressed={shown === value}
            className={shown === value ? 'bg-sunken' : ''}
            onClick={() => saving === undefined && void press(value)}
          >
            <Icon
              name={value === 'up' ? 'thumbUp' : 'thumbDown'}
              className={`size-4 ${shown === value ? 'fill-current' : 'text-muted'}`}
            />
          </Button>
        ))}
        {rating && !isEditing && (
          <Button look="quiet" small onClick={() => setEditing(true)}>
            {rating.comment ? t.changeComment : t.addComment}
          </Button>
        )}
        <span role="status" className="text-muted">
          {outcome === 'thanks' && t.thanks}
        </span>
        {outcome === 'failed' && (
          <span role="alert" className="text-danger">
            {t.failed}
          </span>
        )}
      </div>
      {rating && isEditing && (
        <CommentForm
          rating={rating}
          isBusy={saving !== undefined}
          onClose={() => setEditing(false)}
          onSend={async (comment) => {
            if (await save({ rating: rating.value, comment })) setEditing(false);
          }}
        />
      )}
      {rating?.comment && !isEditing && (
        <p className="basis-full border-s-3 border-line ps-3 text-sm whitespace-pre-wrap break-words text-muted">
          {rating.comment}
        </p>
      )}
    </div>
  );
}
