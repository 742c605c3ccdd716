import { LIMITS } from '../../../contract/limits.ts';
import type { SecondFactorMethod } from '../../../contract/sign-in.ts';
import { errorType, type ReturnedError, registerErrors } from '../errors.ts';
import { SecondFactorMethodEnum } from './access-enums.ts';

interface TicketFacts {
  readonly ticket: string;
  readonly expires_at: string;
  readonly methods: readonly SecondFactorMethod[];
  readonly enrolment_required: boolean;
  readonly passkey_options?: object;
}

const factsOf = ({ error }: ReturnedError) => error.details.facts as unknown as TicketFacts;

const SecondFactorRequired = errorType(
  'SecondFactorRequired',
  'The password was right. The sign-in needs a second factor: complete it with `completeSignIn`.',
  (t) => ({
    ticket: t.string({
      description: `The ticket of this sign-in: for \`completeSignIn\`, at most ${LIMITS.secondFactorAttempts} attempts.`,
      resolve: (error) => factsOf(error).ticket,
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: `When the ticket expires: after ${LIMITS.secondFactorMinutes} minutes, or ${LIMITS.enrolmentMinutes} if \`enrolmentRequired\`.`,
      resolve: (error) => new Date(factsOf(error).expires_at),
    }),
    methods: t.field({
      type: [SecondFactorMethodEnum],
      description: 'How the member can complete the sign-in. Empty if `enrolmentRequired`.',
      resolve: (error) => [...factsOf(error).methods],
    }),
    enrolmentRequired: t.boolean({
      description:
        'Whether the member must set up their first second factor with the ticket: `startSecondFactor`, `confirmSecondFactor`, then `completeSignIn` without a proof.',
      resolve: (error) => factsOf(error).enrolment_required,
    }),
    passkeyOptions: t.field({
      type: 'JSON',
      nullable: true,
      description:
        '`PublicKeyCredentialRequestOptionsJSON` for `navigator.credentials.get`. Its challenge works once. Null: the member has no passkey.',
      resolve: (error) => factsOf(error).passkey_options ?? null,
    }),
  }),
);

registerErrors({ second_factor_required: SecondFactorRequired });
