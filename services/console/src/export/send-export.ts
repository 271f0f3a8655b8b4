import type { Logger } from '@tollgate/common/logging';
import { ExportFormat } from '@tollgate/proto/console/queries';
import type { Response } from 'express';
import { OpenShares } from '../http/open-shares.ts';
import { EXPORT_LIMITS, type ExportLimits } from './export-limits.ts';
import { PacedWriter } from './paced-writer.ts';

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
}

/** A file that is made in one piece. */
export interface ExportedFile {
  /** With its extension. */
  fileName: string;
  contentType: string;
  content: Uint8Array;
}

/** Who gets an export. */
export interface Receiver {
  response: Response;
  /** The person or management key. */
  actorId: string;
  /** Whose data it is; undefined: of all accounts. */
  accountId: string | undefined;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
}

/** Sends exports, a page at a time as fast as the client reads. */
export class ExportSender {
  readonly #logger: Logger;
  readonly #limits: ExportLimits;
  readonly #open = new OpenShares();

  constructor(logger: Logger, limits: ExportLimits = EXPORT_LIMITS) {
    this.#logger = logger;
    this.#limits = limits;
  }

  /**
   * Sends an export. An error before its first line is thrown; one after that resets the connection, so that no client takes
   * a part of the file for all of it.
   *
   * @param prepare is called once the export has a share of those that may run
   * @throws ApiError too_many_requests
   */
  async send<T>(receiver: Receiver, prepare: () => Promise<Export<T>>): Promise<void> {
    const release = this.#open.take(this.#sharesOf(receiver));
    try {
      await this.#stream(receiver, await prepare());
    } finally {
      release();
    }
  }

  /**
   * Sends a file that is made in one piece. An error before it is made is thrown.
   *
   * @param make is called once the export has a share of those that may run
   * @throws ApiError too_many_requests
   */
  async sendFile(receiver: Receiver, make: () => Promise<ExportedFile>): Promise<void> {
    const release = this.#open.take(this.#sharesOf(receiver));
    try {
      const { fileName, contentType, content } = await make();
      const { response, signal } = receiver;
      response.setHeader('content-type', contentType);
      response.setHeader('content-disposition', `attachment; filename="${fileName}"`);
      response.setHeader('content-length', content.byteLength);
      await new PacedWriter(response, this.#limits, signal)
        .write(content)
        .catch((error) => this.#cutOff(receiver, fileName, error));
      response.end();
    } finally {
      release();
    }
  }

  #sharesOf({ actorId, accountId }: Receiver) {
    const { maxOpen, maxOpenOfAccount, maxOpenOfPerson } = this.#limits;
    const own = {
      holder: `actor ${actorId}`,
      max: maxOpenOfPerson,
      refusal: `You have ${running(maxOpenOfPerson)}, as many as one person or management key may. Wait for one to end.`,
    };
    const ofAccount = {
      holder: `account ${accountId?.toLowerCase()}`,
      max: maxOpenOfAccount,
      refusal: `The account has ${running(maxOpenOfAccount)}, as many as one account may. Wait for one to end.`,
    };
    const ofAll = {
      holder: 'all',
      max: maxOpen,
      refusal: `All accounts together have ${running(maxOpen)}, as many as there may be. Try again in a moment.`,
    };
    return accountId === undefined ? [own, ofAll] : [own, ofAccount, ofAll];
  }

  async #stream<T>(receiver: Receiver, given: Export<T>): Promise<void> {
    const { response, signal } = receiver;
    const pages = given.pages[Symbol.asyncIterator]();
    try {
      const first = await pages.next();
      writeHead(response, given);
      const writer = new PacedWriter(response, this.#limits, signal);
      for await (const text of this.#texts(first, pages, given)) await writer.write(text);
      response.end();
    } catch (error) {
      this.#cutOff(receiver, given.fileName, error);
    } finally {
      // Also when the client has left.
      await pages.return?.();
    }
  }

  /** Resets a connection, unless the error can still be sent. */
  #cutOff({ response, signal }: Receiver, file: string, error: unknown): void {
    if (!response.headersSent) throw error;
    // The signal aborts as soon as the connection is closed, whoever closes it.
    if (!signal.aborted) this.#logger.warn({ err: error, file }, 'an export was cut off');
    response.socket?.resetAndDestroy();
  }

  /** The header, and the text of one page at a time. */
  async *#texts<T>(
    first: IteratorResult<readonly T[]>,
    pages: AsyncIterator<readonly T[]>,
    { format, header, toLine }: Export<T>,
  ): AsyncGenerator<string> {
    const endsAt = performance.now() + this.#limits.maxMs;
    let rows = 0;
    if (format === ExportFormat.CSV) yield header;
    for (let page = first; page.done !== true; page = await pages.next()) {
      rows += page.value.length;
      if (rows > this.#limits.maxRows) throw new Error(`the export has more than ${this.#limits.maxRows} rows`);
      if (performance.now() > endsAt) throw new Error(`the export takes longer than ${this.#limits.maxMs} ms`);
      if (page.value.length > 0) yield page.value.map(toLine).join('');
    }
  }
}

function writeHead(response: Response, { fileName, format }: Pick<Export<never>, 'fileName' | 'format'>): void {
  const [type, extension] = format === ExportFormat.CSV ? ['text/csv', 'csv'] : ['application/x-ndjson', 'ndjson'];
  response.setHeader('content-type', `${type}; charset=utf-8`);
  response.setHeader('content-disposition', `attachment; filename="${fileName}.${extension}"`);
}

function running(count: number): string {
  return `${count} export${count === 1 ? '' : 's'} running`;
}
