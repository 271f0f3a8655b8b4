import { readUpstreamError } from '@tollgate/protocols/interface/errors';
import { decodeResponse } from '@tollgate/protocols/openai-chat/upstream/decode-response';
import { ChatStreamDecoder } from '@tollgate/protocols/openai-chat/upstream/decode-stream';
import { SseParser } from '@tollgate/protocols/sse/parse';
import { clientMessage } from '@tollgate/protocols/translate/client-message';
import { describe, expect, it } from 'vitest';
import { type ClientSees, RECORDED_ERRORS } from '../../../testing/recorded-errors.ts';
import type { ApiError } from '../../shared/errors/api-error.ts';
import { toFailure } from './error-response.ts';
import { failureInResponse, toApiError } from './failure.ts';

const reader = {
  read: readUpstreamError,
  clientMessage: (error: ReturnType<typeof readUpstreamError>) => clientMessage(error, new Map()),
};

function seenBy({ status, type, overflow }: ApiError): ClientSees {
  if (overflow !== undefined) return 'too long';
  if (status === 429) return 'limited';
  if (type === 'model_not_available') return 'no model';
  return status === 400 ? 'invalid' : 'ours';
}

const WITHIN = RECORDED_ERRORS.filter(({ status }) => status === 200);
const OTHERS = RECORDED_ERRORS.filter(({ status }) => status !== 200);
const text = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

describe.each(OTHERS.map((one) => ({ ...one, words: text(one.body).slice(0, 160) })))(
  '$provider, $status: $words',
  ({ status, body, expected }) => {
    it(`is ${expected}`, () => {
      const error = toApiError(toFailure(status, {}, Buffer.from(text(body)), reader, 0));
      expect(seenBy(error)).toBe(expected);
      if (expected === 'ours') expect(error.status).toBe(502);
      if (expected === 'invalid') expect(error.message.length).toBeGreaterThan(10);
    });
  },
);

it('there are errors of twenty providers', () => {
  expect(OTHERS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(OTHERS.map(({ provider }) => provider)).size).toBeGreaterThanOrEqual(20);
});

it('a field that the provider names is in the message', () => {
  const messageOf = (body: unknown) => {
    const failure = toFailure(
      422,
      {},
      Buffer.from(JSON.stringify(body)),
      {
        ...reader,
        clientMessage: (error) => clientMessage(error, new Map([['temperature', 'temperature']])),
      },
      0,
    );
    return toApiError(failure).message;
  };
  const detail = [{ loc: ['body', 'temperature'], msg: 'Input should be less than 2' }];
  expect(messageOf({ detail })).toBe('temperature: Input should be less than 2');
  expect(messageOf({ object: 'error', message: { detail } })).toBe('temperature: Input should be less than 2');
  expect(messageOf({ detail: { message: 'No such thing here' } })).toBe('No such thing here');
});

describe.each(WITHIN)('an error of $provider with status 200: $body', ({ body, expected }) => {
  it(`is ${expected}, whole and in a stream`, () => {
    const context = { newId: () => 'id' };
    const whole = decodeResponse(Buffer.from(JSON.stringify(body)), context);
    const parser = new SseParser({ maxEventBytes: 100_000 });
    const [event] = parser.push(Buffer.from(`data: ${JSON.stringify(body)}\n\n`)).events;
    if (event === undefined) throw new Error('no event');
    for (const result of [whole, new ChatStreamDecoder(context).push(event)]) {
      if (result.kind !== 'error') throw new Error(`read as ${result.kind}`);
      expect(seenBy(toApiError(failureInResponse(result.error)))).toBe(expected);
    }
  });
});
