import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DOCUMENT_WORKER } from '../document-worker-file.ts';
import type { Document } from './document.ts';

/** The longest document takes less than 2 s. */
const MAX_RENDER_MS = 30_000;
/** The longest document takes less than 48 MiB. */
const MAX_HEAP_MIB = 128;

/**
 * Renders documents as PDF files, one at a time in a thread of its own: it holds up nobody, and the memory of the PDF library is
 * free once the thread has ended. How many wait is bounded by the exports that may run.
 */
export class DocumentPrinter {
  #previous: Promise<unknown> = Promise.resolve();

  /** @throws the signal's reason when it aborts */
  print(document: Document, signal: AbortSignal): Promise<Uint8Array> {
    const printed = this.#previous.then(() => printInWorker(document, signal));
    this.#previous = printed.catch(() => undefined);
    return printed;
  }
}

async function printInWorker(document: Document, signal: AbortSignal): Promise<Uint8Array> {
  signal.throwIfAborted();
  const worker = new Worker(DOCUMENT_WORKER, {
    workerData: document,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  const within = AbortSignal.any([signal, AbortSignal.timeout(MAX_RENDER_MS)]);
  try {
    const [file] = (await once(worker, 'message', { signal: within })) as [Uint8Array];
    return file;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await worker.terminate();
  }
}
