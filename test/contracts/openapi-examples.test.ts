import { describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../../src/contract/errors.ts';
import { DOCUMENT, exampleProblems } from '../support/openapi.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Body {
  readonly name: string;
  readonly pointer: readonly string[];
  readonly media: Media;
}

type Content = Readonly<Record<string, Media>>;

const bodiesIn = (name: string, pointer: readonly string[], content: object = {}): Body[] =>
  Object.entries(content as Content).map(([type, media]) => ({
    name: `${name} ${type}`,
    pointer: [...pointer, 'content', type],
    media,
  }));

/** The bodies of requests and successful responses, and the messages of webhooks. */
const bodies = [
  ...Object.entries(DOCUMENT.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, requestBody, responses }]) => {
      const pointer = ['paths', path, method];
      const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
      return [
        ...bodiesIn(`the request of ${operationId}`, [...pointer, 'requestBody'], requestBody?.content),
        ...successes.flatMap(([status, { content }]) =>
          bodiesIn(`the response of ${operationId}`, [...pointer, 'responses', status], content),
        ),
      ];
    }),
  ),
  ...Object.entries(DOCUMENT.webhooks).flatMap(([type, { post }]) =>
    bodiesIn(
      type,
      ['webhooks', type, 'post', 'requestBody'],
      (post as { requestBody: Body['media'] & Content }).requestBody.content,
    ),
  ),
];

const examplesOf = ({ example, examples = {} }: Media): unknown[] => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
];

describe('an example of openapi.json', () => {
  it.each(bodies)('exists and conforms: $name', ({ pointer, media }) => {
    const examples = examplesOf(media);
    expect(examples).not.toEqual([]);
    for (const value of examples) expect(exampleProblems(pointer, value)).toEqual([]);
  });

  it('exists for each error of a response, with its status and type', () => {
    const responses = Object.values(DOCUMENT.paths).flatMap((operations) =>
      Object.values(operations).flatMap((operation) => Object.entries(operation.responses)),
    );
    const errors = responses.filter(([status]) => Number(status) >= 400);
    expect(errors.length).toBeGreaterThan(100);
    for (const [status, { $ref = '', content }] of errors) {
      const shared = DOCUMENT.components.responses as Record<string, { content: typeof content }>;
      const media = (content ?? shared[$ref.split('/').at(-1) ?? '']?.content)?.['application/json'];
      const codes = Object.entries((media as Media).examples ?? {});
      expect(codes).not.toEqual([]);
      for (const [code, reference] of codes) {
        expect(reference).toEqual({ $ref: `#/components/examples/${code}` });
        expect(ERROR_CODES[code as ErrorCode].status).toBe(Number(status));
      }
    }
  });

  it.each(Object.entries(DOCUMENT.components.examples as Record<string, { value: { error: object } }>))(
    'of the error %s conforms',
    (code, { value }) => {
      expect(exampleProblems(['components', 'responses', 'NotFound', 'content', 'application/json'], value)).toEqual(
        [],
      );
      expect(value.error).toMatchObject({ code, type: ERROR_CODES[code as ErrorCode].type });
    },
  );

  it('exists for each variant of a response', () => {
    const turn = bodies.find(({ name }) => name === 'the response of RunAgentTurn application/json');
    const { anyOf = [] } = (turn?.media.schema ?? {}) as { anyOf?: readonly object[] };
    expect(anyOf).toHaveLength(examplesOf(turn?.media ?? { schema: {} }).length);
  });

  it('is rejected if a field is missing or unknown', () => {
    const pointer = ['paths', '/v1/resources/{id}', 'get', 'responses', '200', 'content', 'application/json'];
    expect(exampleProblems(pointer, { data: {} })).not.toEqual([]);
    const message = ['webhooks', 'webhook.test', 'post', 'requestBody', 'content', 'application/json'];
    expect(exampleProblems(message, { id: '1', type: 'webhook.test' })).not.toEqual([]);
  });
});
