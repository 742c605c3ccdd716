import { resultOf } from './results.ts';
import type { TestService } from './service.ts';
import { workflowsOf } from './workflows.ts';

/** A complete draft, as a shop would write it. */
const SHOP_DRAFT = {
  instructions: [
    'You are the assistant of Harbour Street Books, a bookshop in Bristol.',
    'The customer is called {{NAME}}.',
    '',
    'Answer briefly and kindly. Look an order up before you say anything about it, and ask for its number when it is missing.',
    'Never promise a refund: offer to pass the request on.',
  ].join('\n'),
  model: 'demo',
  titleModel: true,
  clientTools: [
    { name: 'ask_user', description: 'Asks the customer a question.', availability: 'ALWAYS' },
    {
      name: 'show_book',
      description: 'Shows a book next to the conversation.',
      inputSchema: { type: 'object', properties: { isbn: { type: 'string' } }, required: ['isbn'] },
    },
  ],
  httpActions: [
    {
      name: 'find_order',
      description: 'Reads an order by its number.',
      method: 'GET',
      integration: 'Shop',
      url: '/orders/{order_id}',
      headers: [{ name: 'X-Channel', value: 'assistant' }],
      inputSchema: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
    },
  ],
  mcpServers: [{ name: 'stock', integration: 'Warehouse', tools: ['search', 'reserve'] }],
  resourceTools: ['FIND_RESOURCES', 'READ_RESOURCE'],
};

/**
 * Creates the shop's workflow with two published versions and a newer draft. Both deployments run a version: `site` the
 * second.
 */
export async function makeShop(service: TestService) {
  const flows = workflowsOf(service);
  const draft = { ...SHOP_DRAFT, instructions: 'You are the assistant of a bookshop.', titleModel: false };
  const { workflowId } = resultOf(await flows.createWorkflow({ input: { name: 'Bookshop assistant', draft } }));
  const deploy = async (name: string, kind: string) =>
    resultOf(await flows.createDeployment({ id: workflowId, input: { name, kind } })).deploymentId as string;
  const [site, staff] = [await deploy('Website chat', 'CHAT'), await deploy('Staff desk', 'AGENT')];
  const write = async (fields: object) =>
    resultOf(await flows.updateWorkflow({ id: workflowId, input: { draft: fields } }));
  resultOf(await flows.publish({ id: workflowId, deployments: [site, staff] }));
  await write({ instructions: SHOP_DRAFT.instructions });
  resultOf(await flows.publish({ id: workflowId, deployments: [site] }));
  const newerInstructions = SHOP_DRAFT.instructions.replace(
    'Never promise a refund',
    'Never promise a refund or a date',
  );
  await write({ instructions: newerInstructions, titleModel: true, historyLimit: 10 });
  return { workflowId: workflowId as number, site, staff };
}

/** The instructions of a deployment, as its model repeats them. */
export async function instructionsOf(service: TestService, deploymentId: string): Promise<string> {
  const body = { content: [{ type: 'text', text: '/instructions' }] };
  const response = await service.send('POST', `/v1/runner/${deploymentId}`, { body });
  return response.body.content;
}
