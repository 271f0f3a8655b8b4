import { chance, type Random } from '../random.ts';
import type { UpstreamCall, UpstreamResponse } from './response.ts';

const STATUSES = [
  400, 400, 400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 429, 429, 500, 500, 502, 503, 529, 301, 206,
] as const;

/**
 * A response with an error status, whose body repeats what must not be forwarded or logged: the credential, the
 * address, the prompt.
 */
export function refusal(random: Random, { credential, body }: UpstreamCall): UpstreamResponse {
  const status = random.pick(STATUSES);
  const message = `Incorrect key ${credential} at http://127.0.0.1/upstream in ${body}`;
  const text = random.pick([
    JSON.stringify({
      error: { message: message, type: 'invalid_request_error', param: 'messages[0].content', code: credential },
    }),
    JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message: message } }),
    JSON.stringify([{ error: { code: status, message: message, status: 'INVALID_ARGUMENT', details: [] } }]),
    JSON.stringify({ error: message }),
    JSON.stringify({ detail: [{ loc: ['body', credential, 0], msg: message }] }),
    JSON.stringify({ message: credential }),
    JSON.stringify({ error: { message: { deep: credential }, type: credential, param: credential } }),
    `<html><body>${credential}</body></html>`,
    '',
    '{"error":',
    JSON.stringify({ error: { message: 'x'.repeat(90_000) } }),
  ]);
  const retry = random.pick(['1', '0', '-5', 'soon', '1e99', new Date(0).toUTCString(), '999999999']);
  return {
    mode: 'refusal',
    status,
    headers: {
      'content-type': chance(random, 800) ? 'application/json' : 'text/html',
      'x-echo': credential,
      ...(status === 429 || status === 503 ? { 'retry-after': retry } : {}),
      ...(status === 301 ? { location: 'http://127.0.0.1:1/elsewhere' } : {}),
    },
    pieces: [Buffer.from(text)],
    pauseMs: 0,
    ending: chance(random, 50) ? 'reset' : 'end',
    isWhole: false,
    report: { kind: 'unknown' },
    textBytes: 0,
  };
}
