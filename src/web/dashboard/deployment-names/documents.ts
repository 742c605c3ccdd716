import { graphql } from '../graphql.ts';

export const DEPLOYMENT_NAMES = graphql(`
  query DeploymentNames {
    deployments(first: 100) {
      nodes { deploymentId name kind hostedPage publishedVersion }
    }
  }
`);
