import { parentPort, workerData } from 'node:worker_threads';
import { catalogueFromText } from './catalogue/load.ts';
import type { ParseOutcome, ParseTask } from './catalogue/parse-in-worker.ts';
import { CatalogueError } from './catalogue/problem.ts';

parentPort?.postMessage(outcomeOf(workerData));

function outcomeOf({ file, text, before }: ParseTask): ParseOutcome {
  try {
    return { ok: true, parsed: catalogueFromText(file, text, (name) => process.env[name], before) };
  } catch (error) {
    if (!(error instanceof CatalogueError)) throw error;
    return { ok: false, problems: error.problems };
  }
}
