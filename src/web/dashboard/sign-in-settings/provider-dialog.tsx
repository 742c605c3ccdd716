import type { ResultOf } from 'gql.tada';
import * as z from 'zod/mini';
import { enumNameOf } from '../../../contract/enum-names.ts';
import { ROLES } from '../../../contract/roles.ts';
import { OIDC } from '../../../shapes/sign-in-settings.ts';
import { FormCheckbox, FormSelect, FormTextArea, FormTextField } from '../forms/fields.tsx';
import { FormDialog } from '../forms/form.tsx';
import { optionalText, requiredText } from '../forms/rules.ts';
import { useMutationForm } from '../forms/use-mutation-form.ts';
import { type RoleName, roleName } from '../members/role-name.ts';
import { type SIGN_IN_SETTINGS, UPDATE_SIGN_IN_SETTINGS } from './documents.ts';
import { formatRoleMap, roleMapText } from './role-map.ts';

export type Settings = ResultOf<typeof SIGN_IN_SETTINGS>['signInSettings'];

/** An owner exists only by a mapping or by another owner. */
const DEFAULT_ROLES = ROLES.filter((role) => role !== 'owner').map(enumNameOf);

const schema = z.object({
  issuer: requiredText('the issuer', OIDC.fields.issuer.most).check(z.trim()),
  clientId: requiredText('the client ID', OIDC.fields.clientId.most).check(z.trim()),
  clientSecret: optionalText(OIDC.fields.clientSecret.most),
  roleClaim: optionalText(OIDC.fields.roleClaim.most),
  roleMap: roleMapText,
  defaultRole: z.enum(ROLES.map(enumNameOf)),
  jitMembership: z.boolean(),
});

interface Props {
  readonly oidc: Settings['oidc'];
  readonly onClose: () => void;
}

/** Edits the provider. The service never returns the secret, so an empty field keeps it. */
export function ProviderDialog({ oidc, onClose }: Props) {
  const form = useMutationForm({
    schema,
    defaultValues: {
      issuer: oidc?.issuer ?? '',
      clientId: oidc?.clientId ?? '',
      clientSecret: '',
      roleClaim: oidc?.roleClaim ?? '',
      roleMap: formatRoleMap(oidc?.roleMap ?? []),
      defaultRole: (oidc?.defaultRole ?? 'VIEWER') as RoleName,
      jitMembership: oidc?.jitMembership ?? false,
    },
    mutation: UPDATE_SIGN_IN_SETTINGS,
    variables: ({ clientSecret, roleClaim, ...fields }) => ({
      input: { oidc: { ...fields, clientSecret: clientSecret || null, roleClaim: roleClaim.trim() || null } },
    }),
    onSuccess: onClose,
    mapField: (path) => path.replace(/^oidc\./, ''),
  });
  const { control } = form;
  return (
    <FormDialog title="Identity provider" verb="Save provider" {...{ form, onClose }}>
      <FormTextField
        {...{ control, inputMode: 'url', autoComplete: 'off', placeholder: 'https://', required: true }}
        name="issuer"
        label="Issuer"
      />
      <FormTextField control={control} name="clientId" label="Client ID" autoComplete="off" required />
      <FormTextField
        control={control}
        name="clientSecret"
        label="Client secret"
        type="password"
        autoComplete="off"
        hint={oidc ? 'Leave empty to keep the stored secret. A new issuer needs its own.' : 'It is stored encrypted.'}
      />
      <FormTextField
        control={control}
        name="roleClaim"
        label="Role claim"
        autoComplete="off"
        hint="Optional. The claim with the groups of a person, like groups. Then each sign-in sets the role."
      />
      <FormTextArea
        control={control}
        name="roleMap"
        label="Roles of groups"
        rows={3}
        mono
        placeholder="platform-team = admin"
        hint="One group in each line. Owners keep their role unless a group is mapped to owner."
      />
      <FormSelect control={control} name="defaultRole" label="Default role">
        {DEFAULT_ROLES.map((role) => (
          <option key={role} value={role}>
            {roleName(role)}
          </option>
        ))}
      </FormSelect>
      <FormCheckbox
        control={control}
        name="jitMembership"
        label="The first sign-in makes a person a member"
        hint="Otherwise only members and invited people can sign in."
      />
    </FormDialog>
  );
}
