import type { ResultOf } from 'gql.tada';
import { graphql } from '../graphql.ts';

export const AVAILABLE_MODELS = graphql(`
  query AvailableModels {
    availableModels {
      defaultModel
      providers { name isConfigured models }
    }
  }
`);

/** A query of its own, because the providers have to answer. */
export const OFFERED_MODELS = graphql(`
  query OfferedModels {
    availableModels {
      providers { name offer { models askedAt failure { message advice } } }
    }
  }
`);

export const TEST_MODEL = graphql(`
  mutation TestModel($input: TestModelInput!) {
    testModel(input: $input) {
      __typename
      ... on TestModelPayload {
        test {
          model answer finishReason responseTime inputTokens outputTokens
          failure { message advice } failedAttempts { message status body }
        }
      }
      ... on Error { code message path }
    }
  }
`);

export type Provider = ResultOf<typeof AVAILABLE_MODELS>['availableModels']['providers'][number];

export type Offer = ResultOf<typeof OFFERED_MODELS>['availableModels']['providers'][number]['offer'];

export type ModelTest = Extract<
  NonNullable<ResultOf<typeof TEST_MODEL>['testModel']>,
  { readonly __typename: 'TestModelPayload' }
>['test'];
