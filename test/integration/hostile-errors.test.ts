import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { bufferedResponse, streamedResponse } from '@tollgate/protocols/testing/translate/upstream-responses';
import { recordOf } from '@tollgate/test-support/gateway/billing';
import { HOSTILE_PATH } from '@tollgate/test-support/gateway/catalogue';
import { ENDPOINTS, type Endpoint, withKey } from '@tollgate/test-support/gateway/endpoints';
import { type Gateway, PROVIDER_KEY } from '@tollgate/test-support/gateway/gateway';
import type { HostileCall, HostileResponse } from '@tollgate/test-support/gateway/hostile-upstream';
import { describe, expect } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

const BALANCE = 1_000_000_000n;
const JSON_TYPE = { 'content-type': 'application/json' };
/** A part of every prompt, which no log may contain. */
const PROMPT = 'what only the client and its provider know';
const EVENTS = { 'content-type': 'text/event-stream' };

/** Everything that an upstream knows about the gateway's call. */
function echoOf({ headers, url }: HostileCall, host: string): string {
  const basic = Buffer.from(`api:${PROVIDER_KEY}`).toString('base64');
  const address = `http://${host}${url}`;
  return [
    `wrong credential ${headers.authorization}`,
    `(Basic ${basic}, key=${encodeURIComponent(PROVIDER_KEY)})`,
    `at ${address} or ${encodeURIComponent(address)}, ${headers.host}: temperature`,
    `of the prompt ${PROMPT}`,
    PROVIDER_KEY.repeat(60),
  ].join(' ');
}

/** Texts that no client may see. */
function secretsOf(gateway: Gateway): string[] {
  const { host } = new URL(gateway.hostile.url);
  const basic = Buffer.from(`api:${PROVIDER_KEY}`).toString('base64').slice(8, 24);
  return [PROVIDER_KEY.slice(0, 12), basic, host, HOSTILE_PATH, encodeURIComponent(HOSTILE_PATH)];
}

interface Refusal {
  name: string;
  response: (echo: string, stream: boolean, upstream: ProtocolName) => HostileResponse;
  /** The client's response. */
  status: number;
}

function refusal(status: number, message: string): HostileResponse {
  const error = { message, type: 'invalid_request_error', code: status, status: 'INVALID_ARGUMENT', param: message };
  return { status, headers: { ...JSON_TYPE, 'x-echo': message }, body: JSON.stringify({ type: 'error', error }) };
}

const REFUSALS: readonly Refusal[] = [
  { name: 'a refused request', response: (echo) => refusal(400, echo), status: 400 },
  {
    name: 'a refused request of many words',
    response: (echo) => refusal(422, 'x'.repeat(985) + PROVIDER_KEY + echo),
    status: 400,
  },
  { name: 'a refused credential', response: (echo) => refusal(401, echo), status: 502 },
  {
    name: 'a word for the end',
    response: (echo, stream, upstream) => {
      const given = { text: 'Hello', finish: echo, usage: undefined };
      return stream
        ? { headers: EVENTS, body: streamedResponse(upstream, given) }
        : { headers: JSON_TYPE, body: bufferedResponse(upstream, given) };
    },
    status: 200,
  },
];

describe.each(ENDPOINTS)('an upstream of $protocol that repeats what it was called with', (endpoint) => {
  describe.each([false, true])('with stream: %s', (stream) => {
    withGateway.for(REFUSALS)('in $name shows nothing of it', async ({ response, status }, { gateway }) => {
      const account = await gateway.accounts.create(BALANCE);
      const { host } = new URL(gateway.hostile.url);
      const text = gateway.hostile.prepare((call) => response(echoOf(call, host), stream, endpoint.protocol));
      const wire = endpoint.request({ model: modelOf(endpoint), text: `${text} ${PROMPT}`, maxTokens: 50, stream });
      const sent = await gateway.send(withKey(account.key, wire));
      expect({ status: sent.status, text: sent.text }).toMatchObject({ status });
      const record = await recordOf(gateway, account, sent.headers['x-request-id']);
      const trace = String(sent.headers['x-trace-id']).replaceAll('-', '');
      const logged = () => gateway.stack.logs.read('ingress').filter((line) => line.includes(trace));
      if (status !== 200) await expect.poll(() => logged().join('\n')).toContain('upstream call failed');
      // A successful response is passed through unchanged.
      const shown = status === 200 ? [] : [sent.text, JSON.stringify(sent.headers)];
      for (const secret of secretsOf(gateway)) {
        for (const place of [...shown, JSON.stringify(record), ...logged()]) expect(place).not.toContain(secret);
      }
      for (const line of logged()) expect(line).not.toContain(PROMPT);
      if (status === 400) expect(sent.text).toContain('[redacted]');
    });
  });
});

function modelOf({ protocol }: Endpoint): string {
  return `hostile-${protocol}`;
}
