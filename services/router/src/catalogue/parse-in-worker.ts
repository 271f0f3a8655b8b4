import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CATALOGUE_WORKER } from '../catalogue-worker-file.ts';
import type { ParsedCatalogue } from './parse.ts';
import { CatalogueError, type Problem } from './problem.ts';
import type { Routes } from './to-routes.ts';

/** Variables that base URLs name, such as an environment. */
export type Variables = Readonly<Record<string, string | undefined>>;

/** What the worker gets. */
export interface ParseTask {
  /** The name in problems. */
  file: string;
  text: string;
  /** The routes loaded before, if any. */
  before?: Routes | undefined;
}

/** What the worker returns. */
export type ParseOutcome = { ok: true; parsed: ParsedCatalogue } | { ok: false; problems: readonly Problem[] };

/** Reading the largest usual catalogue takes 2 s on a slow machine. */
const MAX_PARSE_MS = 30_000;
/** Reading 1 MiB of models takes 130 MiB. */
const MAX_HEAP_MIB = 192;

/**
 * Parses a catalogue's text in a thread of its own, so that no text, however large or contrived, holds up the service.
 *
 * @throws CatalogueError listing the problems, or saying that time or memory did not suffice
 * @throws the signal's reason when it aborts
 */
export async function parseInWorker(
  task: ParseTask,
  variables: Variables,
  signal: AbortSignal,
): Promise<ParsedCatalogue> {
  signal.throwIfAborted();
  const worker = new Worker(CATALOGUE_WORKER, {
    workerData: task,
    env: { ...variables },
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  const timeLimit = AbortSignal.timeout(MAX_PARSE_MS);
  try {
    const [outcome] = (await once(worker, 'message', { signal: AbortSignal.any([signal, timeLimit]) })) as [
      ParseOutcome,
    ];
    if (!outcome.ok) throw new CatalogueError(task.file, outcome.problems);
    return outcome.parsed;
  } catch (error) {
    if (error instanceof CatalogueError) throw error;
    signal.throwIfAborted();
    if (timeLimit.aborted) throw unreadable(task.file, `takes more than ${MAX_PARSE_MS / 1_000} seconds to read`);
    if (isOutOfMemory(error)) throw unreadable(task.file, `takes more than ${MAX_HEAP_MIB} MiB of memory to read`);
    throw error;
  } finally {
    await worker.terminate();
  }
}

function unreadable(file: string, message: string): CatalogueError {
  return new CatalogueError(file, [{ line: 1, column: 1, path: '', message }]);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}
