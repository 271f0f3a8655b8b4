import { MAX_CHARGE_NANOS } from '@tollgate/common/charge-bounds';
import { newId } from '@tollgate/common/ids';
import { formatDollars } from '@tollgate/common/money';
import { checkCharge } from '@tollgate/ledger/settle/check-charge';
import { Charge } from '@tollgate/proto/ledger';
import { Bucket } from '@tollgate/proto/router';
import { PROTOCOL_NAMES, type ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import { inputTokensOf, type Usage } from '@tollgate/protocols/canonical/usage';
import type { ClientRequest, FinalUsage, StreamTransformer } from '@tollgate/protocols/interface/protocol';
import { protocolOf } from '@tollgate/protocols/registry';
import { eventsOf, responseContext, streamingClient } from '@tollgate/protocols/testing/translate/clients';
import {
  bufferedResponse,
  streamedResponse,
  usageText,
} from '@tollgate/protocols/testing/translate/upstream-responses';
import { NO_ADJUSTMENTS } from '@tollgate/protocols/translate/adjustments';
import { translatingResponseTransformer } from '@tollgate/protocols/translate/response';
import { TranslatingStreamTransformer } from '@tollgate/protocols/translate/stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { record } from '../../testing/credit/credit-fixture.ts';
import { priceSheetOf } from '../shared/catalogue/price-sheet.ts';
import {
  maxCostNanos,
  paidNanos,
  priceOfRequest,
  priceUsage,
  type RequestPrice,
} from '../shared/catalogue/request-price.ts';
import { encodeCharge } from '../wallet/credit/unsettled-charge.ts';
import { payloadOf } from '../wallet/journal/frame.ts';
import { meter, type ObservedResponse } from './meter.ts';
import { reportedUsageText } from './records.ts';

const TEXT = 'These words were delivered, whatever the figures say.';
const MAX_INPUT = 100;
const MAX_OUTPUT = 1_000;
/** What each search may add to the input. */
const FOUND_TOKENS = 10_000;
/** Tokens that the ledger accepts at the highest price: more than are held, fewer than are plausible. */
const MAX_CHARGEABLE_TOKENS = 2_000;
const RUNS = 2_000;
/** More tokens than the input has. */
const SENT_BYTES = 2 * MAX_INPUT;

/** The tokenizer's count of the input exceeds the bound, as another tokenizer's may. */
const CALL = {
  countInput: () => Promise.resolve(MAX_INPUT + 1),
  maxInputTokens: MAX_INPUT,
  maxOutputTokens: MAX_OUTPUT,
  maxSearches: 0,
  billsSearchesOnce: false,
  images: 0,
};
const BOUND = { inputTokens: BigInt(MAX_INPUT), outputTokens: BigInt(MAX_OUTPUT), images: 0n, searches: 0n };

/** Members that some protocol reads, and one that none does. */
const NAMES = [
  ...['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_tokens_details', 'completion_tokens_details'],
  ...['cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'prompt_cache_hit_tokens'],
  ...['input_tokens', 'output_tokens', 'input_tokens_details', 'output_tokens_details', 'thinking_tokens'],
  ...['cache_read_input_tokens', 'cache_creation_input_tokens', 'cache_creation', 'ephemeral_5m_input_tokens'],
  ...['ephemeral_1h_input_tokens', 'server_tool_use', 'web_search_requests'],
  ...['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount', 'cachedContentTokenCount', 'thoughtsTokenCount'],
  ...['toolUsePromptTokenCount', 'anything'],
];

/** JSON texts rather than values, since no value represents 1e400 or 2^70. */
const figure = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 60 }).map(String) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...[10 * MAX_INPUT + 1, MAX_CHARGEABLE_TOKENS - 10, MAX_CHARGEABLE_TOKENS].map(String)),
  },
  fc.constantFrom('0', '-0', '-1', '0.5', '1e3', '1e308', '1e400', '-1e400', 'null', 'true', '"9"', '[]', '{}'),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  { weight: 3, arbitrary: fc.integer({ min: MAX_INPUT, max: 11 * MAX_OUTPUT }).map(String) },
  fc.json({ maxDepth: 2 }),
);
const members = (value: fc.Arbitrary<string>) => fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 });
const details = members(fc.oneof(figure, members(figure).map(objectText)));

/** A usage that mostly has the protocol's two totals, and sometimes any JSON instead. */
function usageOfProtocol(name: ProtocolName): fc.Arbitrary<string | undefined> {
  const [input = '', output = ''] = Object.keys(JSON.parse(usageText(name, '0', '0')));
  const totals = fc.record({ [input]: figure, [output]: figure });
  const complete = fc.tuple(details, totals).map(([others, both]) => objectText({ ...others, ...both }));
  return fc.oneof(
    { weight: 4, arbitrary: totals.map(objectText) },
    { weight: 4, arbitrary: complete },
    details.map(objectText),
    fc.json(),
    fc.constant(undefined),
  );
}

function objectText(texts: Readonly<Record<string, string>>): string {
  return `{${Object.entries(texts).map(([name, text]) => `${JSON.stringify(name)}:${text}`)}}`;
}

/** So high that the ledger accepts no charge of more than this many tokens. */
const prices = fc
  .tuple(
    fc.oneof(
      fc.constant(MAX_CHARGEABLE_TOKENS),
      fc.integer({ min: MAX_CHARGEABLE_TOKENS, max: 100 * MAX_CHARGEABLE_TOKENS }),
    ),
    fc.constantFrom(0, 0, 125_000, 1_000_000),
    fc.constantFrom(0, 0, -1_000_000, -333_333),
  )
  .map(([tokensTaken, discountPpm, markupPpm]): RequestPrice => {
    const nanosPerMillion = (MAX_CHARGE_NANOS * 1_000_000n) / BigInt(tokensTaken);
    const rates = [Bucket.INPUT, Bucket.OUTPUT, Bucket.SEARCH].map((bucket) => ({ bucket, nanosPerMillion }));
    const sheet = priceSheetOf({ version: 'v', rates, tiers: [], options: [], effectiveFromMs: 0n });
    return priceOfRequest([sheet], 0, { discountPpm, markupPpm });
  });

/** What was read of a response, and how it is sent to the client once its charge is known. */
interface Read {
  observed: ObservedResponse;
  send: (final: FinalUsage) => Buffer;
}

interface SampleCall {
  request: ClientRequest;
  upstream: ProtocolName;
  isOwn: boolean;
  usage: string | undefined;
}

function readBuffered({ request, upstream, isOwn, usage }: SampleCall): Read {
  const context = responseContext();
  const transformer = isOwn
    ? request.responseTransformer(context)
    : translatingResponseTransformer(request, protocolOf(upstream).upstream, NO_ADJUSTMENTS, context);
  const reading = transformer.transform(Buffer.from(bufferedResponse(upstream, { text: TEXT, finish: 'stop', usage })));
  if (reading.kind !== 'response') throw new Error(JSON.stringify(reading));
  const { usage: reported, unreadable, text, render } = reading;
  return { observed: { reported, unreadable, text, unreported: '', sentBytes: SENT_BYTES }, send: render };
}

function readStream({ request, upstream, isOwn, usage }: SampleCall): Read {
  const context = responseContext();
  const transformer: StreamTransformer = isOwn
    ? request.streamTransformer(context)
    : new TranslatingStreamTransformer(request, protocolOf(upstream).upstream, NO_ADJUSTMENTS, context);
  const observed: ObservedResponse = {
    reported: undefined,
    unreadable: undefined,
    text: '',
    unreported: '',
    sentBytes: SENT_BYTES,
  };
  const bytes: Buffer[] = [];
  const response = streamedResponse(upstream, { text: TEXT, finish: 'stop', usage });
  for (const step of stepsOf(transformer, Buffer.from(response))) {
    if (step.kind === 'error' || step.kind === 'malformed') throw new Error(JSON.stringify(step));
    if (step.bytes !== undefined) bytes.push(step.bytes);
    if (step.kind === 'silent' || step.kind === 'opening') continue;
    observed.text += step.text;
    observed.unreported = step.usage === undefined ? observed.unreported + step.text : '';
    observed.reported = step.usage ?? observed.reported;
    observed.unreadable = step.unreadable ?? observed.unreadable;
  }
  return { observed, send: (final) => Buffer.concat([...bytes, transformer.close(final)]) };
}

function* stepsOf(transformer: StreamTransformer, response: Buffer) {
  for (const event of eventsOf(response)) {
    const step = transformer.push(event);
    yield step;
    if (step.kind === 'end') return;
  }
  yield transformer.eof();
}

interface Charged {
  usage: Usage;
  /** As the ledger receives it from the journal. */
  charge: Charge;
}

async function chargeOf(observed: ObservedResponse, price: RequestPrice): Promise<Charged> {
  const call = { ...CALL, price };
  const { usage, estimated, implausible } = await meter(observed, call);
  const { lines, costNanos, baseCostNanos, version } = priceUsage(price, usage, call.images);
  const charge = record(newId(), costNanos, {
    lines,
    baseCostNanos,
    priceVersion: version,
    discountPpm: price.discountPpm,
    usageEstimated: estimated,
    reportedUsage: implausible === undefined ? '' : reportedUsageText(implausible, (text) => text),
  });
  const frame = encodeCharge(charge, { sessionId: newId(), nanos: maxCostNanos(price, BOUND), capsOf: () => [] });
  return { usage, charge: Charge.decode(payloadOf(frame)) };
}

const WAYS = PROTOCOL_NAMES.flatMap((upstream, place) =>
  [upstream, PROTOCOL_NAMES[(place + 1) % PROTOCOL_NAMES.length] ?? upstream].flatMap((client) =>
    [readBuffered, readStream].map((read) => ({ upstream, client, read })),
  ),
);

/** The usage of an upstream of each protocol, buffered and streamed, to a client of the same and of another protocol. */
const reports = fc
  .constantFrom(...WAYS)
  .chain((way) => usageOfProtocol(way.upstream).map((reported) => ({ ...way, reported })));

it('whatever JSON is reported as usage, the ledger accepts the charge and the client pays at most the hold', async () => {
  const seen = { plausible: 0, counted: 0, implausible: 0, aboveHold: 0 };
  await fc.assert(
    fc.asyncProperty(reports, prices, async ({ upstream, client, read, reported }, price) => {
      const request = streamingClient(client);
      const { observed, send } = read({ request, upstream, isOwn: client === upstream, usage: reported });
      const { usage, charge } = await chargeOf(observed, price);
      expect(checkCharge(charge)).toBeUndefined();
      const { holdNanos, costNanos, usageEstimated: estimated, reportedUsage } = charge;
      const paid = paidNanos(costNanos, holdNanos);
      expect(paid).toBeLessThanOrEqual(holdNanos);
      // A provider that searched without being asked to may report what it found.
      expect(inputTokensOf(usage)).toBeLessThanOrEqual(10 * (MAX_INPUT + usage.search * FOUND_TOKENS));
      expect(usage.output + usage.reasoning).toBeLessThanOrEqual(10 * MAX_OUTPUT);
      if (observed.reported === undefined) expect(paid).toBe(costNanos);
      if (reportedUsage !== '') expect(estimated).toBe(true);
      expect(send({ usage, estimated, cost: formatDollars(paid) }).toString()).toContain(TEXT);
      if (!estimated) seen.plausible += 1;
      else if (reportedUsage === '') seen.counted += 1;
      else seen.implausible += 1;
      if (costNanos > holdNanos) seen.aboveHold += 1;
    }),
    { numRuns: RUNS },
  );
  for (const count of Object.values(seen)) expect(count, JSON.stringify(seen)).toBeGreaterThan(RUNS / 100);
});
