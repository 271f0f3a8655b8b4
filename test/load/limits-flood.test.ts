import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send } from '@tollgate/test-support/gateway/http';
import {
  type CallResponse,
  emptiedAt,
  floodEvenly,
  type Judged,
  leastWithin,
  longestPause,
  mostAtOnce,
  mostWithin,
} from '@tollgate/test-support/load/limit-flood';
import { afterAll, beforeAll, expect, it } from 'vitest';

const MINUTE_MS = 60_000;
const FLOOD_MS = (process.env['LONG'] === '1' ? 5 : 1.5) * MINUTE_MS;
const TIMES_THE_LIMIT = 10;
const REQUESTS = 300;
const TOKENS = 30_000;
/** The ingress's default burst: the refill of ten seconds. */
const burstOf = (perMinute: number) => perMinute / 6;
/** Tokens of a call in the flood of tokens. */
const USED = 100;
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: 3, env: { LOG_LEVEL: 'error' } });
});
afterAll(() => gateway.stop());

interface Flood {
  what: string;
  perMinute: number;
  /** The amount of one call. */
  each: number;
  judged: Judged[];
  /** Maximum error of the first estimate for a call. */
  misjudged: number;
}

async function callWith(index: number, key: string, body: string): Promise<{ status: number; json: unknown }> {
  const urls = gateway.stack.facts.base_urls;
  const { status, json } = await send(urls[index % urls.length] ?? '', chatRequest(key, body));
  expect([200, 429]).toContain(status);
  return { status, json };
}

async function floodRequests(): Promise<Flood> {
  const { key } = await gateway.accounts.create(10_000_000_000n, { limits: { requestsPerMinute: BigInt(REQUESTS) } });
  const body = bodyOf(USED, 0);
  const judged = await floodEvenly(
    (REQUESTS * TIMES_THE_LIMIT) / 60,
    FLOOD_MS,
    async (index): Promise<CallResponse> => {
      const { status } = await callWith(index, key, body);
      return { status, amount: status === 200 ? 1 : 0 };
    },
  );
  return { what: 'requests', perMinute: REQUESTS, each: 1, judged, misjudged: 0 };
}

/** Calls whose estimates are alternately half and twice their usage. */
async function floodTokens(): Promise<Flood> {
  const { key } = await gateway.accounts.create(10_000_000_000n, { limits: { tokensPerMinute: BigInt(TOKENS) } });
  const bodies = [USED / 2, USED * 2].map((guessed) => bodyOf(USED, guessed));
  const perSecond = (TOKENS / USED / 60) * TIMES_THE_LIMIT;
  const judged = await floodEvenly(perSecond, FLOOD_MS, async (index): Promise<CallResponse> => {
    const { status, json } = await callWith(index, key, bodies[index % bodies.length] ?? '');
    if (status === 200) expect(json).toMatchObject({ usage: { total_tokens: USED } });
    return { status, amount: status === 200 ? USED : 0 };
  });
  return { what: 'tokens', perMinute: TOKENS, each: USED, judged, misjudged: USED };
}

/** A call with a given usage, and a length for which `guessed` tokens are estimated. */
function bodyOf(used: number, guessed: number): string {
  // `Hi` and its overhead are 8 tokens.
  const output = used - 8;
  const call = { model: 'small', messages: say('Hi'), max_tokens: output, ...simulate({ output_tokens: output }) };
  return JSON.stringify(call).padEnd(guessed * 4);
}

/** The result of a flood: amounts per minute. */
function measure({ judged, perMinute, misjudged }: Flood) {
  const accepted = judged.filter(({ status }) => status === 200);
  const emptyAtMs = emptiedAt(judged);
  const overAtMs = Math.max(...judged.map(({ sentAtMs }) => sentAtMs));
  const steady = accepted.filter(({ sentAtMs }) => sentAtMs >= emptyAtMs);
  return {
    requested: judged.length,
    accepted: accepted.length,
    max: mostWithin(accepted, MINUTE_MS),
    steadyMost: mostWithin(steady, MINUTE_MS),
    steadyLeast: leastWithin(accepted, MINUTE_MS, emptyAtMs, overAtMs),
    burst: burstOf(perMinute),
    // Open calls are corrected only when they end.
    unknown: mostAtOnce(accepted) * misjudged,
    steadyUnknown: mostAtOnce(steady) * misjudged,
    pausedMs: longestPause(judged),
  };
}

function report(
  flood: Flood,
  { requested, accepted, max, steadyMost, steadyLeast, burst, steadyUnknown, pausedMs }: ReturnType<typeof measure>,
): string {
  return (
    `${flood.what}: limit ${flood.perMinute} a minute, burst ${burst}; ${requested} calls in ${FLOOD_MS / 1_000} s at three ` +
    `ingresses, ${accepted} of them accepted; accepted in any sliding minute: ${max} at most, and once the bucket had ` +
    `been empty ${steadyLeast} to ${steadyMost}, of which ${steadyUnknown} may be what open calls were misjudged by; the longest pause was ${Math.round(pausedMs)} ms`
  );
}

it(
  'a flood of ten times a limit gets at most limit and burst in any minute, and the limit within 1 % afterwards',
  async () => {
    const floods = await Promise.all([floodRequests(), floodTokens()]);
    const measured = floods.map((flood) => ({ flood, figures: measure(flood) }));
    process.stdout.write(`\n${measured.map(({ flood, figures }) => report(flood, figures)).join('\n')}\n\n`);
    for (const { flood, figures } of measured) {
      const { perMinute } = flood;
      // Ensures that it was a flood, not a few slow clients.
      expect(figures.requested * flood.each).toBeGreaterThan(
        (0.95 * TIMES_THE_LIMIT * perMinute * FLOOD_MS) / MINUTE_MS,
      );
      expect(figures.max).toBeLessThanOrEqual(perMinute + figures.burst + figures.unknown);
      const tolerance = figures.steadyUnknown + (figures.pausedMs * perMinute) / MINUTE_MS;
      expect(figures.steadyMost).toBeLessThanOrEqual(perMinute * 1.01 + tolerance);
      expect(figures.steadyLeast).toBeGreaterThanOrEqual(perMinute * 0.99 - tolerance);
    }
  },
  FLOOD_MS + 120_000,
);
