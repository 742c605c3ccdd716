import type { Effect, EffectsQuestion, Replacing } from '../branches/use-replacing.ts';
import { texts } from '../texts/current.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Badge, Notice } from '../ui/notice.tsx';
import { statusOf, titleOf } from './labels.ts';

/** Why an action failed, and the question before actions with effects are replaced. */
export function BranchNotices({ error, question, branches }: Replacing) {
  return (
    <>
      {error !== undefined && <Notice tone="danger">{branches.errorText(error)}</Notice>}
      {question && <EffectsDialog {...question} />}
    </>
  );
}

function EffectsDialog({ effects, count, answer }: EffectsQuestion) {
  const t = texts().branches;
  return (
    <Dialog title={t.effectsTitle} onClose={() => answer(false)}>
      <div className="flex flex-col gap-4">
        <p>{t.effectsLead}</p>
        <ul aria-label={t.effects} className="flex flex-col divide-y divide-line rounded-lg border border-line">
          {effects.map((effect) => (
            <EffectLine key={effect.callId} {...effect} />
          ))}
        </ul>
        {count > effects.length && <p className="text-sm text-muted">{t.moreEffects(count - effects.length)}</p>}
        <DialogActions>
          <Button onClick={() => answer(false)}>{texts().page.cancel}</Button>
          <Button look="destroy" onClick={() => answer(true)}>
            {t.effectsConfirm}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  );
}

function EffectLine({ name, status }: Effect) {
  const { label, tone } = statusOf({ type: 'tool', status });
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <span className="min-w-0 flex-1 break-words">
        <span className="font-medium">{titleOf(name)}</span>{' '}
        <code className="font-mono text-sm text-muted">{name}</code>
      </span>
      <Badge tone={tone}>{label}</Badge>
    </li>
  );
}
