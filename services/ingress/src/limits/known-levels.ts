import { Recent } from '../authenticate/recent.ts';
import type { BucketLimit } from './applicable.ts';

interface Level {
  tokens: number;
  /** What it was counted with: levels of other limits under the same name say nothing. */
  perMinute: number;
  atMs: number;
}

/**
 * What this process was told last of the buckets that all share. Others may have taken meanwhile, so there is at most what
 * was left then and has flowed in since: enough to refuse without asking, so that a flood beyond the limit costs Redis
 * little more than what is accepted.
 */
export class KnownLevels {
  readonly #levels: Recent<Level>;

  constructor(most: number) {
    this.#levels = new Recent(most);
  }

  /** @param askedAtMs when Redis was asked: the level was counted later */
  note(accountTag: string, limit: BucketLimit, tokens: number, askedAtMs: number): void {
    const { bucket, perMinute, size } = limit;
    const fullAtMs = askedAtMs + ((size - tokens) * 60_000) / perMinute;
    this.#levels.set(`${accountTag}:${bucket}`, { tokens, perMinute, atMs: askedAtMs }, fullAtMs);
  }

  /**
   * The most tokens that the bucket can hold now, unless some were given back; undefined when nothing is known or it may
   * be full.
   */
  most(accountTag: string, { bucket, perMinute, size }: BucketLimit, nowMs: number): number | undefined {
    const level = this.#levels.get(`${accountTag}:${bucket}`, nowMs);
    if (level === undefined || level.perMinute !== perMinute) return undefined;
    return Math.min(size, level.tokens + ((nowMs - level.atMs) * perMinute) / 60_000);
  }
}
