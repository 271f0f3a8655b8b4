import { INVALID_SPAN_CONTEXT } from '@opentelemetry/api';
import { AuthScheme } from '@tollgate/proto/router';
import { expect, it } from 'vitest';
import { providerForTests } from '../../../testing/route-fixture.ts';
import { upstreamHeaders } from './headers.ts';

const CREDENTIAL = 'a-credential';

it('are those of every call, then the provider’s, then those of the request', () => {
  const provider = providerForTests({
    authScheme: AuthScheme.X_API_KEY,
    headers: { accept: 'text/plain', 'x-api-key': 'another', 'x-title': 'of the provider', 'x-version': '1' },
  });
  const own = { 'content-type': 'text/plain', 'x-version': '2', 'x-beta': 'of the request' };
  expect(upstreamHeaders(provider, CREDENTIAL, INVALID_SPAN_CONTEXT, true, own)).toEqual({
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
    'x-api-key': CREDENTIAL,
    'x-title': 'of the provider',
    'x-version': '1',
    'x-beta': 'of the request',
  });
  expect(provider.headers['x-api-key']).toBe('another');
  expect(own).not.toHaveProperty('x-title');
});
