import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from '../gateway/accounts.ts';
import { directed, ENDPOINTS, withKey } from '../gateway/endpoints.ts';
import { type Random, seeded } from '../random/random.ts';
import { inputTokens, MODELS, mostOf, outputTokens } from './prices.ts';
import { callRaw, type Leave } from './raw-call.ts';
import { type CallResponse, readBuffered, readStreamed } from './read-response.ts';
import { callSdk } from './sdk-call.ts';
import type { Outcome, Sent } from './sent.ts';

/** The minimum limit that all four protocols accept. */
const MIN_LIMIT = 16;

export interface LoadOptions {
  seed: number;
  /** Clients that each make one request after the other. */
  clients: number;
  /** Maximum pause of a client between requests. */
  pauseMs: number;
  ingresses: { name: string; url: string }[];
  accounts: readonly [Account, ...Account[]];
  /** Whether clients may disconnect midway. */
  leaves: boolean;
  /** Total number of requests; without it they continue until `stop`. */
  requests?: number;
}

/** Clients at work. */
export interface Load {
  /** Every ended request, in the order of their ends. */
  sent: Sent[];
  /** Starts no more requests, and resolves when those in progress have ended. */
  stop: () => Promise<void>;
  ended: Promise<void>;
}

/** One request, determined by the seed and its number. */
interface Plan {
  ingress: { name: string; url: string };
  account: Account;
  endpoint: (typeof ENDPOINTS)[number];
  model: (typeof MODELS)[number];
  streamed: boolean;
  sdk: boolean;
  text: string;
  cached: number;
  requested: number;
  limit: number;
  leave: Leave | undefined;
  pauseMs: number;
}

export function startLoad(options: LoadOptions): Load {
  const sent: Sent[] = [];
  let stopped = false;
  let next = 0;
  const client = async () => {
    while (!stopped && next < (options.requests ?? Number.POSITIVE_INFINITY)) {
      next += 1;
      const plan = planRequest(seeded(options.seed * 1_000_003 + next), next, options);
      const one = await send(plan);
      sent.push(one);
      await delay(one.outcome === 'unreached' ? Math.max(plan.pauseMs, 150) : plan.pauseMs);
    }
  };
  const ended = Promise.all(Array.from({ length: options.clients }, client)).then(() => undefined);
  const stop = () => {
    stopped = true;
    return ended;
  };
  return { sent, stop, ended };
}

function planRequest(random: Random, number: number, options: LoadOptions): Plan {
  const [endpoint] = random.shuffled(ENDPOINTS);
  const [ingress] = random.shuffled(options.ingresses);
  if (endpoint === undefined || ingress === undefined) throw new Error('no address to send requests to was given');
  const model = random.pick(MODELS);
  const streamed = random.below(2) === 0;
  const requested = random.below(12) === 0 ? random.between(300, 900) : random.between(1, 40);
  const cached = model === 'odd' ? 0 : random.between(0, 6);
  // Slow enough for a kill between two events, or before the response.
  const pace = streamed ? { token_delay_ms: random.between(0, requested > 40 ? 2 : 12) } : {};
  const wait = random.below(3) === 0 ? { head_delay_ms: random.between(1, 120) } : {};
  const controls = { output_tokens: requested, cached_tokens: cached, ...pace, ...wait };
  const sdk = endpoint.protocol.startsWith('openai') && random.below(2) === 0;
  const leaves = options.leaves && !sdk && random.below(8) === 0;
  return {
    ingress,
    account: random.pick(options.accounts),
    endpoint,
    model,
    streamed,
    sdk,
    text: directed(`request ${number}${' and more words'.repeat(random.below(4))}`, controls),
    cached,
    requested,
    limit: Math.max(MIN_LIMIT, requested),
    leave: leaves ? { afterMs: random.between(5, 300), afterBytes: random.between(200, 4_000) } : undefined,
    pauseMs: random.below(options.pauseMs + 1),
  };
}

async function send(plan: Plan): Promise<Sent> {
  const startedAt = performance.now();
  const { endpoint, model, text, limit, streamed } = plan;
  const wire = withKey(plan.account.key, endpoint.request({ model, text, maxTokens: limit, stream: streamed }));
  const end = plan.sdk ? await sendBySdk(plan) : await sendRaw(plan, wire);
  const { response } = end;
  return {
    accountId: plan.account.accountId,
    ingress: plan.ingress.name,
    protocol: endpoint.protocol,
    streamed,
    client: plan.sdk ? 'sdk' : 'http',
    model,
    startedAt,
    endedAt: performance.now(),
    outcome: end.outcome,
    status: end.status,
    requestId: end.requestId,
    said: end.said,
    counted: { input: inputTokens(text), cached: plan.cached, output: outputTokens(response.text) },
    requested: plan.requested,
    reported: response.reported,
    max: mostOf(model, Buffer.byteLength(wire.body ?? ''), limit),
    complaint: end.complaint,
  };
}

interface End {
  outcome: Outcome;
  status: number | undefined;
  requestId: string | undefined;
  said: string | undefined;
  response: CallResponse;
  complaint: string | undefined;
}

async function sendRaw(plan: Plan, wire: Parameters<typeof callRaw>[1]): Promise<End> {
  const { protocol } = plan.endpoint;
  const result = await callRaw(plan.ingress.url, wire, plan.leave);
  const { status, requestId, raw, clean } = result;
  const rejected = status !== undefined && status !== 200;
  const response = plan.streamed && !rejected ? readStreamed(protocol, raw) : readBuffered(protocol, raw, clean);
  const outcome = outcomeOf(response, { ...result, rejected });
  const silentEnd = plan.streamed && outcome === 'broken' && clean && status === 200;
  const complaint = complaintOf({ status, hung: result.hung, silentEnd, text: rejected ? raw : '' });
  return { outcome, status, requestId, said: rejected ? raw.slice(0, 300) : undefined, response, complaint };
}

async function sendBySdk(plan: Plan): Promise<End> {
  const { text, model, streamed, limit } = plan;
  const protocol = plan.endpoint.protocol === 'openai-chat' ? 'openai-chat' : 'openai-responses';
  const ask = { protocol, streamed, model, text, maxTokens: limit } as const;
  const { reached, status, requestId, said, response } = await callSdk(plan.ingress.url, plan.account.key, ask);
  const rejected = status !== undefined && status !== 200;
  const outcome = outcomeOf(response, { reached, rejected, disconnected: false });
  return {
    outcome,
    status,
    requestId,
    said,
    response,
    complaint: complaintOf({ status, hung: false, silentEnd: false, text: '' }),
  };
}

function outcomeOf(
  response: CallResponse,
  given: { reached: boolean; rejected: boolean; disconnected: boolean },
): Outcome {
  if (!given.reached) return 'unreached';
  if (response.ended && !response.isError) return 'completed';
  if (given.disconnected) return 'disconnected';
  if (given.rejected) return 'rejected';
  return response.isError ? 'failed' : 'broken';
}

/** Errors that are correct while processes are killed and balances run low. */
const EXPECTED_STATUSES = new Set([200, 400, 402, 429, 503]);

function complaintOf(given: {
  status: number | undefined;
  hung: boolean;
  silentEnd: boolean;
  text: string;
}): string | undefined {
  if (given.hung) return 'no response, or no end of it, for 30 s';
  if (given.silentEnd) return 'a stream ended properly without its last event';
  if (given.status !== undefined && !EXPECTED_STATUSES.has(given.status))
    return `status ${given.status} ${given.text.slice(0, 300)}`;
  if (given.status === 400 && given.text !== '' && !given.text.includes('insufficient_balance'))
    return `status 400 ${given.text.slice(0, 300)}`;
  return undefined;
}
