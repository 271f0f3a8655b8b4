import { setTimeout as delay } from 'node:timers/promises';
import { entryName } from '@tollgate/common/keys/key-cache';
import { decodeRecord } from '@tollgate/common/keys/record';
import type { Random } from '@tollgate/test-support/random/random';
import type { Ask, KnownValue, Look, Sent, Tally } from './book.ts';
import type { Clocks } from './clocks.ts';
import type { Disturbances } from './disturbances.ts';
import type { DumpRedis } from './dump-redis.ts';
import type { Links } from './links.ts';
import type { Operator } from './operator.ts';
import type { Processes } from './processes.ts';
import type { Requests } from './requests.ts';

/** Models that keys of these tests call. */
export const MODELS = ['small', 'odd'] as const;

/** Maximum time in which keys are created until one is in Redis. */
const CACHED_WITHIN_MS = 8_000;

/** Maximum time until ingresses ping auth, which something else may keep from them. */
const PINGING_WITHIN_MS = 4_000;

/** The environment of a story. */
export interface WorldParts {
  requests: Requests;
  operator: Operator;
  redis: DumpRedis;
  links: Links;
  processes: Processes;
  clocks: Clocks;
  disturbances: Disturbances;
  /** How long an ingress trusts its records without contact to auth. */
  trustMs: number;
}

/** The actions of stories: they change keys as an operator and immediately observe ingresses and Redis. */
export class World {
  readonly requests: Requests;
  readonly operator: Operator;
  readonly redis: DumpRedis;
  readonly links: Links;
  readonly processes: Processes;
  readonly clocks: Clocks;
  readonly disturbances: Disturbances;
  readonly trustMs: number;
  readonly looks: Look[] = [];
  readonly tallies: Tally[] = [];
  /** Values that clients use, valid and dead ones. */
  readonly used: KnownValue[] = [];

  constructor(parts: WorldParts) {
    this.requests = parts.requests;
    this.operator = parts.operator;
    this.redis = parts.redis;
    this.links = parts.links;
    this.processes = parts.processes;
    this.clocks = parts.clocks;
    this.disturbances = parts.disturbances;
    this.trustMs = parts.trustMs;
  }

  get ingresses(): string[] {
    return this.requests.ingresses;
  }

  /** Waits until every ingress pings auth, and so trusts its records; after being cut off, it tries once a second. */
  async untilPinging(): Promise<void> {
    for (const until = performance.now() + PINGING_WITHIN_MS; performance.now() < until; await delay(50)) {
      const pinging = await this.operator.listPinging(this.trustMs / 2);
      if (this.ingresses.every((ingress) => pinging.has(ingress))) return;
    }
  }

  /** The names of the links from one ingress, or all of this world, to their auths. */
  toAuth(ingress?: string): string[] {
    const from = ingress === undefined ? this.ingresses : [ingress];
    return this.links.names.filter((name) => from.some((one) => name.startsWith(`${one}>auth`)));
  }

  /** The names of the links from ingresses, or from auths that this world's operator calls, to Redis. */
  toRedis(from: 'ingresses' | 'auths'): string[] {
    return (from === 'auths' ? this.operator.auths : this.ingresses).map((name) => `${name}>redis`);
  }

  /** A new key that every ingress has served, and that clients use from now on. */
  async warmKey(account?: KnownValue['key']['account']): Promise<KnownValue> {
    const value = await this.operator.createKey(account ?? (await this.operator.createAccount()));
    await this.probe(value, [{ kind: 'models' }, chat()]);
    this.used.push(value);
    return value;
  }

  /** A warm key whose record is in Redis: the first of several, or the last if Redis is disturbed. */
  async cachedKey(): Promise<KnownValue> {
    for (const until = performance.now() + CACHED_WITHIN_MS; ; ) {
      const value = await this.warmKey();
      const look = await this.look(value);
      if (look?.found === 'record' || performance.now() > until) return value;
      await delay(100);
    }
  }

  /** Sends requests to all or the given ingresses at the same time. */
  async probe(
    value: KnownValue,
    asks: readonly Ask[] = [{ kind: 'models' }, { kind: 'limits' }, chat()],
    ingresses: readonly string[] = this.ingresses,
  ): Promise<Sent[]> {
    return Promise.all(ingresses.flatMap((ingress) => asks.map((ask) => this.requests.send(ingress, value, ask))));
  }

  /** Records what Redis has for a value; nothing if Redis is down. */
  async look(value: KnownValue): Promise<Look | undefined> {
    const { tag } = value.key.account;
    const from = performance.now();
    const entry = await this.#entry(entryName(tag, value.sha256));
    if (entry === undefined) return undefined;
    const look = { value, from, to: performance.now(), found: readEntry(entry, tag) };
    this.looks.push(look);
    return look;
  }

  async #entry(name: string): Promise<string | null | undefined> {
    try {
      return await this.redis.client.get(name);
    } catch {
      // Redis is being restarted: there is nothing to record.
      return undefined;
    }
  }
}

export function chat(model: string = MODELS[0]): Ask {
  return { kind: 'chat', model };
}

/** A random request of a client: mostly free ones, and some calls of models. */
export function anyAsk(random: Random): Ask {
  const chance = random.below(10);
  if (chance < 6) return { kind: 'models' };
  return chance < 8 ? { kind: 'limits' } : chat(random.pick(MODELS));
}

function readEntry(entry: string | null, tag: string): Look['found'] {
  if (entry === null) return 'missing';
  if (decodeRecord(entry, tag) === undefined) throw new Error('Redis holds an entry that is not a record');
  return 'record';
}
