import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { errorNames, readUpstreamError } from './errors.ts';

const NOTHING = { message: '', type: '', code: '', param: '' };

function read(body: unknown) {
  return readUpstreamError(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

describe('readUpstreamError', () => {
  test.each<[string, unknown, object]>([
    [
      'OpenAI',
      { error: { message: 'Bad n', type: 'invalid_request_error', param: 'n', code: 'integer_above_max_value' } },
      { message: 'Bad n', type: 'invalid_request_error', param: 'n', code: 'integer_above_max_value' },
    ],
    ['OpenAI with nulls', { error: { message: 'm', type: 't', param: null, code: null } }, { message: 'm', type: 't' }],
    ['an error as text', { error: 'no such model' }, { message: 'no such model' }],
    [
      'a bare message',
      { object: 'error', message: 'm', type: 'BadRequestError', code: 400 },
      { message: 'm', type: 'BadRequestError', code: '400' },
    ],
    ['a detail', { detail: 'Not Found' }, { message: 'Not Found' }],
    [
      'FastAPI',
      { detail: [{ loc: ['body', 'messages', 0, 'content'], msg: 'field required', type: 'missing' }] },
      { message: 'field required', param: 'messages[0].content' },
    ],
    [
      'Mistral, for a field',
      {
        object: 'error',
        message: { detail: [{ type: 'less_than_equal', loc: ['body', 'temperature'], msg: 'too large' }] },
        type: 'invalid_request_error',
      },
      { message: 'too large', type: 'invalid_request_error', param: 'temperature' },
    ],
    [
      'Google',
      [{ error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }],
      { message: 'slow down', type: 'RESOURCE_EXHAUSTED', code: '429' },
    ],
    [
      'Google, with a field and a delay',
      {
        error: {
          message: 'm',
          details: [
            { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'contents[0].parts' }] },
            { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.5s' },
          ],
        },
      },
      { message: 'm', param: 'contents[0].parts', retryAfterMs: 500 },
    ],
    ['a page', '<html>502 Bad Gateway</html>', {}],
    ['nothing', '', {}],
    ['null', 'null', {}],
    ['wrong types', { error: { message: 5, type: [], param: {}, code: true } }, { message: '5' }],
  ])('decodes the shape of %s', (_, body, expected) => {
    expect(read(body)).toEqual({ ...NOTHING, ...expected });
  });

  test('is bounded', () => {
    expect(read({ error: { message: 'x'.repeat(5_000), code: 'c'.repeat(5_000) } })).toMatchObject({
      message: `${'x'.repeat(1_000)}…`,
      code: `${'c'.repeat(200)}…`,
    });
    expect(read({ error: { message: 'x'.repeat(100_000) } })).toEqual(NOTHING);
  });

  test('never throws', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void readUpstreamError(Buffer.from(bytes))));
    fc.assert(fc.property(fc.jsonValue(), (body) => void read({ error: body, detail: body })));
  });
});

describe('the loggable part of an error', () => {
  test.each([
    [{ type: 'authentication_error', code: 'invalid_api_key' }, 'authentication_error invalid_api_key'],
    [{ type: 'RESOURCE_EXHAUSTED', code: '429' }, 'RESOURCE_EXHAUSTED 429'],
    [{ type: 'the prompt was: hello', code: 'invalid_api_key' }, 'invalid_api_key'],
    [{ type: 'x'.repeat(65), code: '' }, ''],
  ])('is its type and code if they are names: %j', (names, logged) => {
    expect(errorNames({ message: 'You said: hello', param: 'hello', ...names })).toBe(logged);
  });
});
