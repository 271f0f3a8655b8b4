import { fetch } from 'undici';
import type { Load } from '../parts/load.ts';
import { modelOf } from '../scenarios.ts';
import type { MeasuredRoute } from './routes.ts';

/** Duration of each kind of body, requests in sequence. */
const DURATION_MS = 6_000;
const MODEL = modelOf('openai-chat');
const MIB = 1_024 * 1_024;

/** A kind of large request; each stresses another part of the gateway. */
interface LargeRequest {
  name: string;
  path: string;
  body: () => object;
}

const LARGE_REQUESTS: readonly LargeRequest[] = [
  {
    name: 'one text of 31 MiB, passed through',
    path: '/v1/chat/completions',
    body: () => ({ model: MODEL, messages: [{ role: 'user', content: 'some text '.repeat((31 * MIB) / 10) }] }),
  },
  {
    name: 'turns of 700 bytes, 28 MiB, translated',
    path: '/v1/messages',
    body: () => ({
      model: MODEL,
      max_tokens: 16,
      messages: list(40_001, (i) => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: 'some text '.repeat(70) })),
    }),
  },
  {
    name: '98,000 parts, 1.2 MiB, translated',
    path: `/v1beta/models/${MODEL}:generateContent`,
    body: () => ({ contents: [{ role: 'user', parts: list(98_000, () => ({ text: 'x' })) }] }),
  },
];

function list<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index));
}

/** The longest response time of a health check in milliseconds, by kind of body: the longest turn of the event loop. */
export type LongestTurns = Record<string, number>;

/** Sends large requests of each kind, and health checks beside them. */
export async function measureTurns(load: Load, { route }: MeasuredRoute): Promise<LongestTurns> {
  const turns: LongestTurns = { 'nothing else': await longestWait(load, route.origin) };
  for (const { name, path, body } of LARGE_REQUESTS) {
    const bytes = JSON.stringify(body());
    let isOver = false;
    const send = async () => {
      while (!isOver) await sendLarge(route.origin + path, route.keys[0] ?? '', bytes);
    };
    const wait = longestWait(load, route.origin).finally(() => {
      isOver = true;
    });
    [turns[name]] = await Promise.all([wait, send()]);
  }
  return turns;
}

async function longestWait(load: Load, origin: string): Promise<number> {
  const { latency } = await load.run({ kind: 'probe', route: { origin, keys: [] }, durationMs: DURATION_MS });
  return latency.max;
}

/** @throws Error unless it returns 200 */
async function sendLarge(url: string, key: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const response = await fetch(url, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`a large request returned ${response.status}: ${text.slice(0, 300)}`);
}
