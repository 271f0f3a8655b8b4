import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { jsonIn, readText } from '../api/read-body.ts';
import { requestOf, type Target } from './requests.ts';

export interface Challenge {
  target: Target;
  /** Sends this many requests at once. */
  clients: number;
  /** After this long no more requests are begun. */
  maxMs: number;
  /** Names the run in a header, by which a gateway may list its requests. */
  session: string;
  /** Deletes the key, in the middle of the run; resolves when it is gone. */
  deleteKey: (() => Promise<void>) | undefined;
}

/** What became of the requests. */
export interface Tally {
  buffered: number;
  streamed: number;
  cancelled: number;
  /** Requests that the gateway responded to with a status of success. */
  accepted: number;
  /** By status: how many, and what the first one said. */
  refused: Map<number, { count: number; message: string }>;
  /** Requests that were begun after the key was deleted and accepted all the same. */
  acceptedAfterDeletion: number;
  elapsedMs: number;
}

const MODES = ['buffered', 'streamed', 'cancelled', 'streamed'] as const;
type Mode = (typeof MODES)[number];

/** A client gives up after so many refusals in a row. */
const MAX_REFUSALS = 3;
/** 429 says that the request may fit later. */
const MAX_RETRIES = 20;
const MAX_RETRY_MS = 1_000;
const REQUEST_TIMEOUT_MS = 60_000;
const MAX_ERROR_CHARACTERS = 300;

type Outcome = { kind: 'accepted' } | { kind: 'refused'; status: number; message: string; retryMs: number | undefined };

/** Sends requests from many clients at once until the gateway refuses all of them, and counts what it did. */
export async function runChallenge(challenge: Challenge): Promise<Tally> {
  const { clients, deleteKey, maxMs } = challenge;
  const began = performance.now();
  const run = new Run(challenge, began + maxMs);
  const all = Promise.all(Array.from({ length: clients }, (_, client) => run.client(client)));
  if (deleteKey !== undefined) {
    await Promise.race([run.firstResponse, all]);
    await deleteKey();
    run.deletedAt = performance.now();
    await all;
    await Promise.all(Array.from({ length: clients }, (_, client) => run.send(client)));
  }
  await all;
  return { ...run.tally, elapsedMs: performance.now() - began };
}

class Run {
  deletedAt = Number.POSITIVE_INFINITY;
  readonly tally: Omit<Tally, 'elapsedMs'> = {
    buffered: 0,
    streamed: 0,
    cancelled: 0,
    accepted: 0,
    refused: new Map(),
    acceptedAfterDeletion: 0,
  };
  readonly firstResponse: Promise<void>;
  readonly #challenge: Challenge;
  readonly #endsAt: number;
  #sent = 0;
  #responded: () => void = () => undefined;

  constructor(challenge: Challenge, endsAt: number) {
    this.#challenge = challenge;
    this.#endsAt = endsAt;
    this.firstResponse = new Promise((resolve) => {
      this.#responded = resolve;
    });
  }

  /** Sends one request after another until it is refused for good. */
  async client(index: number): Promise<void> {
    let refusals = 0;
    let retries = 0;
    while (refusals < MAX_REFUSALS && retries < MAX_RETRIES && performance.now() < this.#endsAt) {
      const outcome = await this.send(index);
      if (outcome.kind === 'accepted') {
        refusals = 0;
        retries = 0;
      } else if (outcome.retryMs === undefined) refusals += 1;
      else {
        retries += 1;
        await delay(Math.min(outcome.retryMs, MAX_RETRY_MS));
      }
    }
  }

  /** Sends one request, and counts it. */
  async send(index: number): Promise<Outcome> {
    const mode = MODES[(this.#sent + index) % MODES.length] ?? 'buffered';
    this.#sent += 1;
    this.tally[mode] += 1;
    const isAfterDeletion = performance.now() > this.deletedAt;
    const outcome = await exchange(this.#challenge, `Request ${this.#sent}: count from one to a thousand.`, mode);
    this.#responded();
    if (outcome.kind === 'accepted') {
      this.tally.accepted += 1;
      if (isAfterDeletion) this.tally.acceptedAfterDeletion += 1;
    } else {
      const { count = 0, message = outcome.message } = this.tally.refused.get(outcome.status) ?? {};
      this.tally.refused.set(outcome.status, { count: count + 1, message });
    }
    return outcome;
  }
}

async function exchange({ target, session }: Challenge, text: string, mode: Mode): Promise<Outcome> {
  const { url, headers, body } = requestOf(target, text, mode !== 'buffered');
  const leave = new AbortController();
  const signal = AbortSignal.any([leave.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  try {
    const init = { method: 'POST', headers: { ...headers, 'x-tollgate-session': session }, body, signal };
    const response = await fetch(url, init);
    if (!response.ok) return await refusal(response);
    for await (const _ of response.body ?? []) {
      if (mode !== 'cancelled') continue;
      leave.abort();
      break;
    }
    return { kind: 'accepted' };
  } catch (error) {
    if (leave.signal.aborted) return { kind: 'accepted' };
    // No response at all counts as status 0.
    const message = error instanceof Error ? String(error.cause ?? error.message) : String(error);
    return { kind: 'refused', status: 0, message, retryMs: undefined };
  }
}

const errorBody = z.object({ error: z.object({ message: z.string() }) });

async function refusal(response: Response): Promise<Outcome> {
  const { status } = response;
  const text = await readText(response, 'the gateway');
  const parsed = errorBody.safeParse(jsonIn(text));
  const message = (parsed.data?.error.message ?? text).slice(0, MAX_ERROR_CHARACTERS);
  if (status !== 429 && status !== 503) return { kind: 'refused', status, message, retryMs: undefined };
  const seconds = Number(response.headers.get('retry-after') ?? 1);
  return { kind: 'refused', status, message, retryMs: Number.isFinite(seconds) ? seconds * 1_000 : MAX_RETRY_MS };
}
