import { describe, expect, test } from 'vitest';
import { USAGE_SHAPES } from '../../testing/recorded-usage/index.ts';
import { TEXT, type UsageShape } from '../../testing/recorded-usage/shape.ts';
import {
  clientRequest,
  eventsOf,
  finalUsage,
  MINIMAL,
  responseContext,
  streamingClient,
} from '../../testing/translate/clients.ts';
import type { ProtocolName } from '../canonical/protocol-name.ts';
import { laterUsage, type Usage, usageOf } from '../canonical/usage.ts';
import { laterDetails, type UsageDetails } from '../canonical/usage-report.ts';
import type { ResponseTransformer, StreamTransformer } from '../interface/protocol.ts';
import { protocolOf } from '../registry.ts';
import { NO_ADJUSTMENTS } from './adjustments.ts';
import { translatingResponseTransformer } from './response.ts';
import { TranslatingStreamTransformer } from './stream.ts';

const CLIENTS: readonly ProtocolName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

/** What was read of an answer, and the client's bytes. */
interface Read {
  usage: Usage | undefined;
  details: UsageDetails | undefined;
  /** Text after the last report, which would be estimated. */
  unreported: string;
  bytes: string;
}

function whole({ protocol, whole: body }: UsageShape, client: ProtocolName): Read {
  const asked = clientRequest(client, MINIMAL[client]);
  const context = responseContext();
  const transformer: ResponseTransformer =
    client === protocol
      ? asked.responseTransformer(context)
      : translatingResponseTransformer(asked, protocolOf(protocol).upstream, NO_ADJUSTMENTS, context);
  const result = transformer.transform(Buffer.from(JSON.stringify(body)));
  if (result.kind !== 'response') throw new Error(JSON.stringify(result));
  const { usage, details } = result;
  return { usage, details, unreported: '', bytes: result.render(finalUsage(usage)).toString() };
}

function streamed({ protocol, stream = [] }: UsageShape, client: ProtocolName): Read {
  const asked = streamingClient(client);
  const context = responseContext();
  const transformer: StreamTransformer =
    client === protocol
      ? asked.streamTransformer(context)
      : new TranslatingStreamTransformer(asked, protocolOf(protocol).upstream, NO_ADJUSTMENTS, context);
  const read: Read = { usage: undefined, details: undefined, unreported: '', bytes: '' };
  const lines = stream.map((event) =>
    typeof event !== 'string' ? `data: ${JSON.stringify(event)}` : event.startsWith(':') ? event : `data: ${event}`,
  );
  let isOver = false;
  const events = eventsOf(Buffer.from(lines.map((line) => `${line}\n\n`).join('')));
  for (const step of [...events.map((event) => () => transformer.push(event)), () => transformer.eof()]) {
    if (isOver) break;
    const taken = step();
    if (taken.kind === 'error' || taken.kind === 'malformed') throw new Error(JSON.stringify(taken));
    read.bytes += taken.bytes?.toString() ?? '';
    if (taken.kind !== 'content' && taken.kind !== 'end') continue;
    read.unreported += taken.text;
    if (taken.usage !== undefined) {
      read.usage = laterUsage(read.usage, taken.usage);
      read.unreported = '';
    }
    read.details = laterDetails(read.details, taken.details);
    isOver = taken.kind === 'end';
  }
  read.bytes += transformer.close(finalUsage(read.usage)).toString();
  return read;
}

describe.each(USAGE_SHAPES)('$provider: $name', (shape) => {
  test.each(CLIENTS)('is read for a client of %s, who gets the cost here', (client) => {
    const { usage, details, unreported, bytes } =
      shape.stream === undefined ? whole(shape, client) : streamed(shape, client);
    expect(usage).toEqual(usageOf(shape.meant));
    expect(unreported).toBe('');
    expect(details?.upstreamCostNanos).toBe(shape.upstreamNanos);
    expect(bytes).toContain(TEXT.slice(6));
    expect(bytes).toMatch(/"cost":0\.25[,}]/);
    expect(bytes.match(/"cost":(?!0\.25[,}])/)).toBeNull();
    expect(bytes).not.toMatch(
      /cost_details|is_byok|cost_in_usd_ticks|total_cost|tool_calls_cost|cost_usd|upstream_inference/,
    );
  });
});

test('there are shapes of twenty providers, whole and streamed', () => {
  expect(USAGE_SHAPES.length).toBeGreaterThanOrEqual(60);
  expect(new Set(USAGE_SHAPES.map(({ provider }) => provider)).size).toBe(20);
  expect(USAGE_SHAPES.filter(({ stream }) => stream !== undefined).length).toBeGreaterThanOrEqual(30);
});
