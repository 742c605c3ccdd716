import { z } from 'zod';
import { required, rulesOf } from '../../shapes/field.ts';
import { workflowName } from '../../shapes/names.ts';
import { CREATE_DEPLOYMENT, UPDATE_DEPLOYMENT } from '../../shapes/workflows.ts';
import { brandingInput } from '../branding/input.ts';

/** The name of a workflow or a deployment. */
export const nameInput = required(workflowName).rule;

const { workflowId: _workflow, ...fields } = CREATE_DEPLOYMENT.fields;
const { deploymentId: _deployment, ...changes } = UPDATE_DEPLOYMENT.fields;

export const newDeployment = z.object({ ...rulesOf(fields), branding: z.nullish(brandingInput) });

export const deploymentChange = z.object({
  ...rulesOf(changes),
  name: z.optional(nameInput),
  branding: z.nullish(brandingInput),
});
