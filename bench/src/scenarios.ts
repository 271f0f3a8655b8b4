import type { ProtocolName } from '@tollgate/protocols/canonical/protocol-name';
import type { RequestSpec } from './load/messages.ts';
import type { Budget } from './report/budget.ts';

/** One kind of load, measured on every route. */
export interface Scenario {
  /** Its name in `bench/results.json`. */
  id: string;
  /** Its name in tables. */
  title: string;
  spec: RequestSpec;
  /** The request that the bare proxy and the upstream get, where a translation makes another of it. */
  upstreamSpec: RequestSpec;
  load: ScenarioLoad;
  /** What the CPU time is divided by. */
  per: 'request' | 'event';
  /** Whether it is about time, so that the upstream itself is measured too. */
  isTimed: boolean;
  /** Measured only with LONG=1. */
  isLong: boolean;
  budgets: ScenarioBudgets;
}

export type ScenarioLoad =
  | { kind: 'closed'; concurrency: number }
  /** `half`: half the rate that the gateway reached with short streams. */
  | { kind: 'open'; perSecond: number | 'half' };

/** The figures of a scenario that have a budget. */
export type ScenarioBudgets = Partial<Record<'cpu' | 'p50' | 'p99', Budget>>;

/** Requests in progress in a closed loop. */
const CONCURRENCY = 32;
/** Open streams in progress while events arrive at intervals. */
const STREAMS = 100;
/** A low rate, at which most gateways live. */
const LOW_RATE = 500;

/** About the size of a short conversation with a system prompt. */
const PROMPT_BYTES = 1_000;
const LONG_PROMPT_BYTES = 100_000;

/** The model of each upstream protocol, in `bench/catalogue.yaml`. */
export function modelOf(upstream: ProtocolName): string {
  return `bench-${upstream}`;
}

const CHAT: RequestSpec = {
  client: 'openai-chat',
  model: modelOf('openai-chat'),
  promptBytes: PROMPT_BYTES,
  streamed: false,
  outputTokens: 64,
  tokenDelayMs: 0,
  status: 200,
};
const SHORT_STREAM: RequestSpec = { ...CHAT, streamed: true, outputTokens: 16 };
const EVENTS: RequestSpec = { ...CHAT, streamed: true, outputTokens: 100 };

const CPU_WARM: Budget = { of: 'ratio', limit: 2.5 };
const CPU_LOW_RATE: Budget = { of: 'ratio', limit: 3 };
const CPU_PASSED_EVENT: Budget = { of: 'ratio', limit: 1.5 };
const CPU_TRANSLATED_EVENT: Budget = { of: 'ratio', limit: 2 };
const LATENCY_P50: Budget = { of: 'beyond', limit: 0.4 };
const LATENCY_P99: Budget = { of: 'beyond', limit: 1.5 };

/** A buffered response: the request of the comparison with and without spans, and of a gateway that has just started. */
export const SMALL_CHAT: Scenario = closed('chat', 'small chat', CHAT, { budgets: { cpu: CPU_WARM } });
export const JUST_STARTED: Scenario = {
  ...SMALL_CHAT,
  id: 'chat-started',
  title: 'small chat, just started',
  budgets: {},
};
export const JUST_STARTED_LOW_RATE: Scenario = {
  ...open('low-rate-started', `${LOW_RATE} requests/s, just started`, CHAT, LOW_RATE),
  // It is about CPU time; the low rate on a warm gateway is about time, too.
  isTimed: false,
};
export const SMALL_STREAM: Scenario = closed('stream', 'stream of 16 events at once', SHORT_STREAM, {
  budgets: { cpu: CPU_WARM },
});

/** A key for each request that the ingress has not seen. */
export const COLD_KEYS: Scenario = closed('cold-keys', 'small chat, each with another key', CHAT, {});
/** Each request is held under twelve caps. Compared with the same gateway without any, not with the proxy. */
export const CAPPED: Scenario = closed('capped', 'small chat under 12 caps, beside one under none', CHAT, {
  budgets: { cpu: { of: 'ratio', limit: 1.1 } },
});
/** The proxy and the upstream accept every key: a refusal is compared with a response. */
export const WRONG_KEYS: Scenario = {
  ...closed('wrong-keys', 'wrong key', { ...CHAT, status: 401 }, {}),
  upstreamSpec: CHAT,
};

const PROTOCOLS: readonly ProtocolName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

interface Pair {
  client: ProtocolName;
  upstream: ProtocolName;
}

const PAIRS: readonly Pair[] = PROTOCOLS.flatMap((client) => PROTOCOLS.map((upstream) => ({ client, upstream })));

/** Protocols whose translations are measured without LONG=1, and as clients of chat completions also events at intervals. */
const FREQUENT: ReadonlySet<ProtocolName> = new Set(['openai-chat', 'anthropic-messages']);

/** Measured on a warm gateway, in this order. */
export const WARM_SCENARIOS: readonly Scenario[] = [
  SMALL_CHAT,
  SMALL_STREAM,
  {
    ...open('low-rate', `${LOW_RATE} requests/s`, CHAT, LOW_RATE),
    budgets: { cpu: CPU_LOW_RATE },
  },
  {
    ...closed('one-at-a-time', 'one request at a time', CHAT, { concurrency: 1 }),
    isTimed: true,
    budgets: { p50: LATENCY_P50, p99: LATENCY_P99 },
  },
  {
    ...open('half-load', 'first byte at half load', SHORT_STREAM, 'half'),
    budgets: { p50: LATENCY_P50, p99: LATENCY_P99 },
  },
  closed('long-prompt', 'prompt of 100 KB', { ...CHAT, promptBytes: LONG_PROMPT_BYTES }, {}),
  ...PAIRS.flatMap(eventScenarios),
];

/** Streams from each protocol to each: all events at once, and at intervals, compared with a copy of the upstream's stream. */
function eventScenarios({ client, upstream }: Pair): Scenario[] {
  const isPassthrough = client === upstream;
  const spec = { ...EVENTS, client, model: modelOf(upstream) };
  const upstreamSpec = { ...EVENTS, client: upstream, model: modelOf(upstream) };
  const budgets: ScenarioBudgets = { cpu: isPassthrough ? CPU_PASSED_EVENT : CPU_TRANSLATED_EVENT };
  const pair = isPassthrough ? client : `${client} to ${upstream}`;
  const id = `${client}-${upstream}`;
  const atOnce: Scenario = {
    ...closed(`events-${id}`, `100 events at once, ${pair}`, spec, { budgets }),
    upstreamSpec,
    per: 'event',
    isLong: !isPassthrough && !(FREQUENT.has(client) && FREQUENT.has(upstream)),
  };
  const paced: Scenario = {
    ...closed(`paced-${id}`, `100 events, 10 ms apart, ${pair}`, { ...spec, tokenDelayMs: 10 }, { budgets }),
    upstreamSpec: { ...upstreamSpec, tokenDelayMs: 10 },
    load: { kind: 'closed', concurrency: STREAMS },
    per: 'event',
    isLong: upstream !== 'openai-chat' || !FREQUENT.has(client),
  };
  return [atOnce, paced];
}

function closed(
  id: string,
  title: string,
  spec: RequestSpec,
  { concurrency = CONCURRENCY, budgets = {} }: { concurrency?: number; budgets?: ScenarioBudgets },
): Scenario {
  const load = { kind: 'closed', concurrency } as const;
  return { id, title, spec, upstreamSpec: spec, load, per: 'request', isTimed: false, isLong: false, budgets };
}

function open(id: string, title: string, spec: RequestSpec, perSecond: number | 'half'): Scenario {
  const load = { kind: 'open', perSecond } as const;
  return { id, title, spec, upstreamSpec: spec, load, per: 'request', isTimed: true, isLong: false, budgets: {} };
}

/** Streams that stay open: their memory and the CPU time of an event. */
export const OPEN_STREAMS: RequestSpec = { ...CHAT, streamed: true, outputTokens: 200, tokenDelayMs: 1_000 };
export const QUIET_STREAMS: RequestSpec = { ...OPEN_STREAMS, outputTokens: 50, tokenDelayMs: 10_000 };

/** A scenario with another name of the model at the gateway. */
export function withModel(scenario: Scenario, model: string): Scenario {
  return { ...scenario, spec: { ...scenario.spec, model }, budgets: {} };
}

/** What can be measured of any gateway: chat completions on both sides. */
export function scenariosOfOthers(model: string): Scenario[] {
  const isChat = ({ client }: RequestSpec) => client === 'openai-chat';
  return WARM_SCENARIOS.filter(({ spec, upstreamSpec, isLong }) => !isLong && isChat(spec) && isChat(upstreamSpec)).map(
    (scenario) => withModel(scenario, model),
  );
}
