import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { USAGE_SHAPES } from '@tollgate/protocols/testing/recorded-usage/index';
import { TEXT, type UsageShape } from '@tollgate/protocols/testing/recorded-usage/shape';
import { costOf, recordOf } from '@tollgate/test-support/gateway/billing';
import { ENDPOINTS, withKey } from '@tollgate/test-support/gateway/endpoints';
import { expect } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

/** Prices of the models here, in nano-dollars per token: all of input but cached reads, those, and all of output. */
const [INPUT, CACHE_READ, OUTPUT] = [150n, 75n, 600n];

/** The same protocol, and another one. */
function clientsOf(upstream: ProtocolName): ProtocolName[] {
  return upstream === 'anthropic-messages' ? [upstream, 'openai-chat'] : [upstream, 'anthropic-messages'];
}

/** A prompt for which the recorded figures are plausible. */
const PROMPT = 'word '.repeat(200);

/** Searches have no price here: test/pricing covers them. */
const SHAPES = USAGE_SHAPES.filter(({ meant }) => (meant.search ?? 0) === 0);

withGateway.for(SHAPES.flatMap((shape) => clientsOf(shape.protocol).map((client) => ({ shape, client, ...shape }))))(
  'the bill of $provider, $name, for a client of $client',
  async ({ shape, client }, { gateway }) => {
    const account = await gateway.accounts.create(1_000_000_000n);
    const stream = shape.stream !== undefined;
    const text = gateway.hostile.prepare({
      headers: { 'content-type': stream ? 'text/event-stream' : 'application/json' },
      body: bodyOf(shape),
    });
    const endpoint = ENDPOINTS.find(({ protocol }) => protocol === client);
    if (endpoint === undefined) throw new Error(client);
    const wire = endpoint.request({
      model: `hostile-${shape.protocol}`,
      text: `${text} ${PROMPT}`,
      maxTokens: 4_000,
      stream,
    });
    const response = await gateway.send(withKey(account.key, wire));
    expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
    expect(response.text).toContain(TEXT.slice(6));
    const record = await recordOf(gateway, account, response.headers['x-request-id']);
    expect(record).toMatchObject({ usage_estimated: false, reported_usage: null, usage: shape.meant });
    expect(costOf(record)).toBe(billOf(shape));
  },
);

function bodyOf({ whole, stream }: UsageShape): string {
  if (stream === undefined) return JSON.stringify(whole);
  return stream
    .map((event) => (typeof event === 'string' ? event : JSON.stringify(event)))
    .map((event) => (event.startsWith(':') ? `${event}\n\n` : `data: ${event}\n\n`))
    .join('');
}

function billOf({ meant }: UsageShape): bigint {
  const tokens = (quantity = 0) => BigInt(quantity);
  return (
    (tokens(meant.input) + tokens(meant.cache_write_5m) + tokens(meant.cache_write_1h)) * INPUT +
    tokens(meant.cache_read) * CACHE_READ +
    (tokens(meant.output) + tokens(meant.reasoning)) * OUTPUT
  );
}
