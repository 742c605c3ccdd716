import { graphql } from '../graphql.ts';

export const START_SECOND_FACTOR = graphql(`
  mutation StartSecondFactor($input: StartSecondFactorInput!) {
    startSecondFactor(input: $input) {
      __typename
      ... on StartSecondFactorPayload { enrolmentId totp { secret uri } passkeyOptions }
      ... on Error { code message path }
    }
  }
`);

export const CONFIRM_SECOND_FACTOR = graphql(`
  mutation ConfirmSecondFactor($input: ConfirmSecondFactorInput!) {
    confirmSecondFactor(input: $input) {
      __typename
      ... on ConfirmSecondFactorPayload { recoveryCodes }
      ... on Error { code message path }
    }
  }
`);

export const COMPLETE_SIGN_IN = graphql(`
  mutation CompleteSignIn($input: CompleteSignInInput!) {
    completeSignIn(input: $input) {
      __typename
      ... on CompleteSignInPayload { sessionId expiresAt }
      ... on Error { code message path }
    }
  }
`);

export const SECOND_FACTORS = graphql(`
  query SecondFactors {
    me {
      recoveryCodesLeft
      secondFactors { secondFactorId kind name createdAt lastUsedAt }
    }
  }
`);

export const REMOVE_SECOND_FACTOR = graphql(`
  mutation RemoveSecondFactor($input: RemoveSecondFactorInput!) {
    removeSecondFactor(input: $input) {
      __typename
      ... on RemoveSecondFactorPayload { deletedId }
      ... on Error { code message path }
    }
  }
`);

export const CREATE_RECOVERY_CODES = graphql(`
  mutation CreateRecoveryCodes($input: CreateRecoveryCodesInput!) {
    createRecoveryCodes(input: $input) {
      __typename
      ... on CreateRecoveryCodesPayload { recoveryCodes }
      ... on Error { code message path }
    }
  }
`);
