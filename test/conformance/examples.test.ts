import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createExampleData, OPERATIONS, sendDocumented } from '../support/document-requests.ts';
import { unacceptable } from '../support/openapi.ts';
import { startService, type TestService } from '../support/service.ts';

describe('each example of openapi.json gets the documented response', () => {
  let service: TestService;
  let session: string;
  beforeAll(async () => {
    // Nobody has to receive the emails.
    service = await startService({ mail: { url: 'smtp://127.0.0.1:9', from: 'parley@example.com' } });
    ({ session } = await createExampleData(service));
  });
  afterAll(() => service.close());

  it('exists for every operation', () => {
    const without = OPERATIONS.filter(({ body, examples }) => body && Object.keys(examples).length === 0);
    const unnamed = OPERATIONS.flatMap(({ parameters }) =>
      parameters.filter((parameter) => parameter.in === 'path' && parameter.example === undefined),
    );
    expect([without, unnamed]).toEqual([[], []]);
  });

  const examples = OPERATIONS.flatMap((operation) => {
    const bodies = Object.entries(operation.examples).map(([name, { value }]) => ({
      name,
      body: value as object | undefined,
    }));
    const requests = bodies.length > 0 ? bodies : [{ name: 'without a body', body: undefined }];
    return requests.map(({ name, body }) => ({ operation, title: `${operation.name}: ${name}`, body }));
  });

  // In the order of the document: a resume comes before the turns that continue it, a deletion last.
  it.each(examples)('$title', async ({ operation, body }) => {
    const parameters = Object.fromEntries(operation.parameters.map(({ name, example }) => [name, example]));
    // The client checks every response against the document.
    const response = await sendDocumented(
      service,
      operation,
      { parameters, body },
      operation.requiresSession ? session : service.key,
    );
    expect(response, JSON.stringify(response.body)).toMatchObject({ status: operation.success });
    if (body) expect(unacceptable(operation.path, operation.method.toLowerCase(), body)).toEqual([]);
  });
});
