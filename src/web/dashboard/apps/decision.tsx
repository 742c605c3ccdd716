import * as z from 'zod/mini';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { LIMITS } from '../../../contract/limits.ts';
import { SCOPES } from '../../../contract/scopes.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { useAttention } from '../../ui/use-attention.ts';
import { FormError } from '../forms/form.tsx';
import '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { ErrorNotice } from '../frame/loaded.tsx';
import { Section } from '../frame/page-frame.tsx';
import { useServiceMutation } from '../requests.ts';
import { useMe } from '../session/session.ts';
import { Account, type AccountActions } from './account.tsx';
import { AppName, AskingApp } from './asking-app.tsx';
import type { AccessValues, ConnectionRequest } from './connection-request.ts';
import { ALLOW_APP, DENY_APP } from './documents.ts';
import { EnvironmentChoice } from './environment-choice.tsx';
import { ScopeChoice } from './scope-choice.tsx';

const schema = z.object({
  environment: z.enum(['LIVE', 'TEST']),
  scopes: z.array(z.enum(SCOPES.map(enumNameOf))).check(z.minLength(1, 'Select at least one permission.')),
});

interface Props extends AccountActions {
  readonly request: ConnectionRequest;
  readonly onDecided: (redirectUrl: string) => void;
}

export function Decision({ request, onDecided, ...actions }: Props) {
  const { request: requestId, clientName, clientHost, isLoopback, scopes, expiresAt } = request;
  const { workspace } = useMe();
  const hasAttention = useAttention();
  const form = useMutationForm({
    schema,
    defaultValues: {
      // The access of an app that nobody verified starts with data that cannot do harm.
      environment: clientHost === null || isLoopback ? 'TEST' : 'LIVE',
      scopes: scopes.flatMap(({ scope, canAllow }) => (canAllow ? [scope] : [])),
    } as AccessValues,
    mutation: ALLOW_APP,
    variables: (values) => ({ input: { request: requestId, ...values } }),
    onSuccess: ({ redirectUrl }) => onDecided(redirectUrl),
  });
  const denial = useServiceMutation(DENY_APP);
  const deny = async () => {
    const payload = await denial.mutate({ requestId });
    if (payload) onDecided(payload.redirectUrl);
  };
  const { control } = form;
  const canAllow = scopes.some((scope) => scope.canAllow);
  return (
    <>
      <p>
        <AppName name={clientName} /> asks for access to the workspace{' '}
        <strong className="font-medium">{workspace.name}</strong>, with your permissions.
      </p>
      <Section title="Who asks">
        <AskingApp request={request} />
      </Section>
      <Section title="Your account">
        <Account {...actions} />
      </Section>
      <Section title="What the app can do">
        <div className="flex flex-col gap-5">
          <EnvironmentChoice control={control} />
          <ScopeChoice control={control} requested={scopes} />
          {!canAllow && <p>Your role has no permission that the app asks for, so you can only deny.</p>}
        </div>
      </Section>
      <p className="text-sm text-muted">
        {`The access ends after ${LIMITS.appDays} days. To end it earlier, open “Your account” in the dashboard and disconnect the app. If your role changes, the app loses the permissions that you lose.`}
      </p>
      <FormError form={form} />
      <ErrorNotice error={denial.error} />
      <div className="flex flex-col gap-2">
        {/* Not a form: Enter in a field must not allow the access. Both answers look the same. */}
        <div className="grid grid-cols-2 gap-3">
          <Button busy={denial.busy} disabled={form.busy} onClick={deny}>
            Deny
          </Button>
          <Button
            busy={form.busy}
            disabled={denial.busy || !canAllow}
            aria-disabled={!hasAttention || undefined}
            onClick={() => hasAttention && form.submit()}
          >
            Allow
          </Button>
        </div>
        <p className="text-sm text-muted">
          This request expires <Time at={expiresAt} />.
        </p>
      </div>
    </>
  );
}
