import { EventEmitter } from 'node:events';
import { FAILURE_CAUSES } from '@tollgate/common/failure-causes';
import { describe, expect, it } from 'vitest';
import { attemptForTests, exchangeForTests } from '../../testing/exchange-fixture.ts';
import { attemptRecords } from './attempt-records.ts';
import { responseTooLarge, STOPPING, type UpstreamFailure } from './upstream/failure.ts';

/** What a provider says, or a client asked, which no record may contain. */
const WORDS = 'the prompt was: hello';
const detail = WORDS;

const OVERFLOW = { promptTokens: undefined, outputTokens: undefined, contextTokens: undefined };
const FAILURES: UpstreamFailure[] = [
  { kind: 'timeout', detail },
  { kind: 'unreachable', detail },
  { kind: 'reset', detail },
  { kind: 'server_error', status: 500, detail },
  { kind: 'rate_limited', status: 429, retryAfterMs: 1, detail },
  { kind: 'credential_refused', status: 401, detail },
  { kind: 'no_credential', detail },
  { kind: 'model_unknown', status: 404, detail },
  { kind: 'malformed', detail },
  { kind: 'request_refused', status: 400, message: WORDS },
  { kind: 'context_exceeded', status: 400, overflow: OVERFLOW, detail },
  { kind: 'response_too_large', message: WORDS },
  responseTooLarge('process_full'),
  STOPPING,
];

const exchange = exchangeForTests({ hold: undefined as never, res: new EventEmitter() as never });
const attempt = attemptForTests(exchange);

describe('the attempts of a charge', () => {
  it('have a cause of the closed list for every failure, and none of its words', () => {
    const records = FAILURES.flatMap((failure) => attemptRecords(exchange, attempt, failure));
    expect(new Set(records.map(({ cause }) => cause))).toEqual(new Set(FAILURE_CAUSES));
    expect(JSON.stringify(records)).not.toContain(WORDS);
  });

  it('are none where the first one succeeded, so that its charge is no larger', () => {
    expect(attemptRecords(exchange, attempt, undefined)).toEqual([]);
  });

  it('include the one that succeeded after others', () => {
    const earlier = attemptRecords(exchange, attempt, { kind: 'reset', detail });
    const records = attemptRecords(exchange, { ...attempt, earlier, providerStatus: 200 }, undefined);
    expect(records.map(({ cause, providerStatus }) => [cause, providerStatus])).toEqual([
      ['reset', 0],
      ['', 200],
    ]);
  });
});
