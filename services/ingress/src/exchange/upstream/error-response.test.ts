import { describeError, readUpstreamError, type UpstreamError } from '@tollgate/protocols/interface/errors';
import { describe, expect, it } from 'vitest';
import { toFailure, withClientModel } from './error-response.ts';
import { failureInResponse, toApiError } from './failure.ts';

const reader = {
  read: readUpstreamError,
  clientMessage: ({ param, message }: UpstreamError) =>
    withClientModel(`${param}: ${message}`, 'gpt-upstream', 'our-model'),
};
const body = (error: object) => Buffer.from(JSON.stringify({ error }));
const NOW = Date.parse('2026-01-01T00:00:00Z');

describe('an error response of an upstream', () => {
  it("becomes an invalid request in the client's terms", () => {
    const failure = toFailure(
      400,
      {},
      body({ message: 'gpt-upstream does not take 3', param: 'temperature' }),
      reader,
      NOW,
    );
    const error = toApiError(failure);
    expect(error).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: 'temperature: our-model does not take 3',
    });
  });

  it.each([401, 402, 403])('with %s concerns our credential and is not reported to the client', (status) => {
    const failure = toFailure(status, {}, body({ message: 'Incorrect API key sk-secret' }), reader, NOW);
    expect(failure.kind).toBe('credential_refused');
    expect(toApiError(failure)).toMatchObject({ status: 502, type: 'internal_error' });
    expect(toApiError(failure).message).not.toContain('sk-secret');
  });

  it.each([
    { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
    { message: 'Your credit balance is too low to access the Anthropic API.', type: 'invalid_request_error' },
    { message: 'Incorrect API key provided: xa***en.', code: 'Client specified an invalid argument' },
    { message: 'Access denied.', code: 'Arrearage' },
  ])('with 400 about our account is not reported to the client: %j', (error) => {
    expect(toFailure(400, {}, body(error), reader, NOW).kind).toBe('credential_refused');
  });

  it('distinguishes an empty quota from a rate limit', () => {
    for (const error of [
      { code: 'insufficient_quota' },
      { type: 'exceeded_current_quota_error' },
      { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' },
    ]) {
      expect(toFailure(429, {}, body(error), reader, NOW).kind).toBe('credential_refused');
    }
    const limited = toFailure(429, { 'retry-after': '7' }, body({ code: 'rate_limit_exceeded' }), reader, NOW);
    expect(toApiError(limited)).toMatchObject({ status: 429, type: 'rate_limit_exceeded', retryAfterMs: 7_000 });
  });

  it('has the type that Amazon Bedrock sends in a header', () => {
    const ofType = (type: string, message: string) => {
      const headers = { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` };
      return toFailure(400, headers, Buffer.from(JSON.stringify({ message })), reader, NOW);
    };
    expect(ofType('ThrottlingException', 'Rate exceeded')).toMatchObject({
      kind: 'rate_limited',
      detail: 'ThrottlingException',
    });
    expect(ofType('ExpiredTokenException', 'The token has expired').kind).toBe('credential_refused');
    expect(ofType('ValidationException', 'Malformed input request').kind).toBe('request_refused');
  });

  it.each([
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5_000],
    [{ 'retry-after': '86400' }, 60_000],
    [{ 'retry-after': 'soon' }, 1_000],
    [{}, 1_000],
  ])('has the time to retry from %j', (headers, ms) => {
    expect(toFailure(429, headers, Buffer.alloc(0), reader, NOW)).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: ms,
    });
  });

  it.each([
    ['21.5s', 21_500],
    ['0.1s', 100],
    ['3600s', 60_000],
    ['soon', 1_000],
  ])('has the time to retry from Google’s delay of %s, unless a header has it', (retryDelay, ms) => {
    const details = [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay },
    ];
    const error = { code: 429, status: 'RESOURCE_EXHAUSTED', details };
    const limited = { kind: 'rate_limited', retryAfterMs: ms };
    expect(toFailure(429, {}, body(error), reader, NOW)).toMatchObject(limited);
    expect(failureInResponse(describeError({ error }))).toMatchObject(limited);
    expect(toFailure(429, { 'retry-after': '7' }, body(error), reader, NOW)).toMatchObject({ retryAfterMs: 7_000 });
  });

  it.each([404, 409, 412, 500, 502, 503, 529])(
    'takes %s for the provider being at fault, whatever the page says',
    (status) => {
      const failure = toFailure(status, {}, Buffer.from('<html>Bad gateway</html>'), reader, NOW);
      expect(toApiError(failure)).toMatchObject({ status: 502, type: 'internal_error' });
    },
  );
});
