import { once } from 'node:events';
import type { Response } from 'express';
import type { ExportLimits } from './export-limits.ts';

/** Small enough that a slow client is seen to take one after the other. */
const PIECE_BYTES = 65_536;

/** Writes a response as fast as its client reads, and gives up one who reads too slowly. */
export class PacedWriter {
  readonly #response: Response;
  readonly #limits: Pick<ExportLimits, 'minBytes' | 'minBytesMs'>;
  readonly #tooSlow = new AbortController();
  readonly #signal: AbortSignal;
  /** Of the present `minBytes`. */
  #taken = 0;
  /** How much longer the client is waited for until it has taken them. */
  #leftMs: number;

  /** @param signal aborts when the client leaves */
  constructor(response: Response, limits: Pick<ExportLimits, 'minBytes' | 'minBytesMs'>, signal: AbortSignal) {
    this.#response = response;
    this.#limits = limits;
    this.#signal = AbortSignal.any([signal, this.#tooSlow.signal]);
    this.#leftMs = limits.minBytesMs;
  }

  /** Resolves when there is room for more; rejects when the client is too slow, or leaves. */
  async write(content: string | Uint8Array): Promise<void> {
    const bytes = Buffer.from(content);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      const piece = bytes.subarray(start, start + PIECE_BYTES);
      if (!this.#response.write(piece)) await this.#drained();
      this.#count(piece.length);
    }
  }

  async #drained(): Promise<void> {
    const startedAt = performance.now();
    const { minBytes, minBytesMs } = this.#limits;
    const reason = new Error(`the export is read too slowly: less than ${minBytes} bytes in ${minBytesMs} ms`);
    const timer = setTimeout(() => this.#tooSlow.abort(reason), this.#leftMs);
    try {
      await once(this.#response, 'drain', { signal: this.#signal });
    } catch (error) {
      throw this.#tooSlow.signal.aborted ? reason : error;
    } finally {
      clearTimeout(timer);
    }
    this.#leftMs -= performance.now() - startedAt;
  }

  #count(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < this.#limits.minBytes) return;
    this.#taken = 0;
    this.#leftMs = this.#limits.minBytesMs;
  }
}
