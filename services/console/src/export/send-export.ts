import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Logger } from '@tollgate/common/logging';
import type { Response } from 'express';
import { ApiError } from '../http/api-error.ts';
import { MAX_EXPORT_MS, MAX_EXPORT_ROWS, MAX_OPEN_EXPORTS } from './export-limits.ts';

export type ExportFormat = 'csv' | 'json';

export interface Export<T> {
  /** Without its extension. */
  fileName: string;
  format: ExportFormat;
  /** Pages of items, newest first. */
  pages: AsyncIterable<readonly T[]>;
  /** The first line of CSV. */
  header: string;
  /** One line with its end. */
  toLine: (item: T) => string;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

export interface ExportLimits {
  maxRows: number;
  maxMs: number;
}

/** Sends exports, a page at a time as fast as the client reads. */
export class ExportSender {
  readonly #logger: Logger;
  readonly #limits: ExportLimits;
  #open = 0;

  constructor(logger: Logger, limits: ExportLimits = { maxRows: MAX_EXPORT_ROWS, maxMs: MAX_EXPORT_MS }) {
    this.#logger = logger;
    this.#limits = limits;
  }

  /**
   * Sends an export. An error before its first line is thrown; one after that closes the connection.
   *
   * @throws ApiError too_many_requests
   */
  async send<T>(response: Response, given: Export<T>): Promise<void> {
    if (this.#open >= MAX_OPEN_EXPORTS) {
      throw new ApiError('too_many_requests', 'Too many exports are running. Try again in a moment.', {
        retryAfterS: 5,
      });
    }
    this.#open += 1;
    try {
      const pages = given.pages[Symbol.asyncIterator]();
      const first = await pages.next();
      this.#writeHead(response, given);
      await pipeline(Readable.from(this.#lines(first, pages, given)), response);
    } catch (error) {
      if (!response.headersSent) throw error;
    } finally {
      this.#open -= 1;
    }
  }

  #writeHead(response: Response, { fileName, format }: Pick<Export<never>, 'fileName' | 'format'>): void {
    const [type, extension] = format === 'csv' ? ['text/csv', 'csv'] : ['application/x-ndjson', 'ndjson'];
    response.setHeader('content-type', `${type}; charset=utf-8`);
    response.setHeader('content-disposition', `attachment; filename="${fileName}.${extension}"`);
  }

  /** The text of one page at a time. */
  async *#lines<T>(
    first: IteratorResult<readonly T[]>,
    pages: AsyncIterator<readonly T[]>,
    { fileName, format, header, toLine, signal }: Export<T>,
  ): AsyncGenerator<string> {
    const endsAt = performance.now() + this.#limits.maxMs;
    let rows = 0;
    if (format === 'csv') yield header;
    try {
      for (let page = first; page.done !== true; page = await pages.next()) {
        rows += page.value.length;
        if (rows > this.#limits.maxRows) throw new Error(`the export has more than ${this.#limits.maxRows} rows`);
        if (performance.now() > endsAt) throw new Error(`the export takes longer than ${this.#limits.maxMs} ms`);
        if (page.value.length > 0) yield page.value.map(toLine).join('');
      }
    } catch (error) {
      // Here, because the signal aborts as soon as the connection is closed, whoever closes it.
      if (!signal.aborted) this.#logger.warn({ err: error, file: fileName }, 'an export was cut off');
      throw error;
    } finally {
      // Also when the client has left.
      await pages.return?.();
    }
  }
}
