import { required } from './field.ts';
import { id, numberId } from './kinds.ts';

/** The deployment of a call of its users. */
export const publishedDeploymentId = required(id('Deployment', 'The ID of a published deployment of the workspace'));

export const deploymentId = required(id('Deployment', 'The ID of a deployment of the workspace, published or not'));

export const workflowId = required(numberId('Workflow', 'The ID of a workflow of the workspace'));

export const conversationId = required(id('Conversation', 'The ID of the conversation'));
