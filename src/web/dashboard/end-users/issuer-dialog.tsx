import type { ResultOf } from 'gql.tada';
import * as z from 'zod/mini';
import { SET_END_USER_ISSUER as INPUT, END_USER_SIGN_IN as SIGN_IN } from '../../../shapes/end-users.ts';
import { DeploymentChoice } from '../deployment-names/deployment-choice.tsx';
import { FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { atMost, optionalText, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { type END_USER_ISSUER, SET_END_USER_ISSUER } from './documents.ts';

export type Issuer = NonNullable<ResultOf<typeof END_USER_ISSUER>['endUserIssuer']>;

const { fields } = INPUT;

const schema = z.object({
  issuer: requiredText('the issuer', fields.issuer.most).check(z.trim()),
  audience: requiredText('the audience', fields.audience.most).check(z.trim()),
  jwksUrl: requiredText('the URL of the keys', fields.jwksUrl.most).check(z.trim()),
  deploymentIds: z
    .array(z.string())
    .check(z.minLength(1, 'Select a deployment.'), atMost(fields.deploymentIds.most, 'deployments')),
  scopeClaim: optionalText(fields.scopeClaim.most),
  clientId: optionalText(SIGN_IN.fields.clientId.most),
  clientSecret: optionalText(SIGN_IN.fields.clientSecret.most),
});

interface Props {
  readonly stored: Issuer | null;
  readonly onClose: () => void;
}

/** Edits the server whose JWTs the environment accepts. */
export function IssuerDialog({ stored, onClose }: Props) {
  const form = useMutationForm({
    schema,
    defaultValues: {
      issuer: stored?.issuer ?? '',
      audience: stored?.audience ?? '',
      jwksUrl: stored?.jwksUrl ?? '',
      deploymentIds: [...(stored?.deploymentIds ?? [])],
      scopeClaim: stored?.scopeClaim ?? '',
      clientId: stored?.signIn?.clientId ?? '',
      clientSecret: '',
    },
    mutation: SET_END_USER_ISSUER,
    variables: ({ scopeClaim, clientId, clientSecret, ...fields }) => ({
      input: {
        ...fields,
        scopeClaim: scopeClaim.trim() || null,
        signIn: clientId.trim() ? { clientId: clientId.trim(), clientSecret: clientSecret || null } : null,
      },
    }),
    onSuccess: onClose,
    mapField: (path) => path.replace(/^deploymentIds\.\d+$/, 'deploymentIds').replace(/^signIn\./, ''),
  });
  const { control } = form;
  return (
    <FormDialog title="Issuer of JWTs" verb="Save issuer" {...{ form, onClose }}>
      <FormTextField
        control={control}
        name="issuer"
        label="Issuer"
        hint="The value of iss in the JWTs, exactly."
        autoComplete="off"
        required
      />
      <FormTextField
        control={control}
        name="audience"
        label="Audience"
        hint="A value of aud in the JWTs. Each environment needs its own."
        autoComplete="off"
        required
      />
      <FormTextField
        {...{ control, inputMode: 'url', autoComplete: 'off', placeholder: 'https://', required: true }}
        name="jwksUrl"
        label="URL of the keys"
        hint="The address of the JWKS with the public keys."
      />
      <DeploymentChoice control={control} name="deploymentIds" hint="The JWTs work for these deployments." />
      <FormTextField
        control={control}
        name="scopeClaim"
        label="Scope claim"
        autoComplete="off"
        hint="Optional. The claim with the scopes of a JWT, like scope. Without it, users can read and write."
      />
      <FormTextField
        control={control}
        name="clientId"
        label="Client ID for assistants"
        autoComplete="off"
        hint="Optional. The client of Parley at the issuer. With it, users sign in there to connect assistants."
      />
      <FormTextField
        control={control}
        name="clientSecret"
        label="Client secret"
        type="password"
        autoComplete="off"
        hint={
          stored?.signIn
            ? 'Leave empty to keep the stored secret. A new issuer or client needs its own.'
            : 'It is stored encrypted.'
        }
      />
    </FormDialog>
  );
}
