import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import { catalogueFromText, readCatalogueFile } from './load.ts';
import type { ParsedCatalogue } from './parse.ts';
import { parseInWorker, type Variables } from './parse-in-worker.ts';
import { CatalogueError, formatProblem, type Problem } from './problem.ts';
import type { Routes } from './to-routes.ts';
import { watchFile } from './watch-file.ts';

export interface LiveCatalogueOptions {
  file: string;
  pollMs: number;
  /** Variables that base URLs name. */
  variables: Variables;
  logger: Logger;
  /** Gets the routes at the start, and again after each change that can be used. */
  onRoutes: (routes: Routes) => void;
  /** Called after each later attempt to load a changed file. */
  onReload: (usable: boolean) => void;
}

/** The catalogue in use. */
export interface CatalogueInUse extends ParsedCatalogue {
  file: string;
  loadedAtMs: number;
  /** Of a newer content of the file, which is not in use; empty: none. */
  problems: readonly Problem[];
}

export interface LiveCatalogue {
  readonly inUse: CatalogueInUse;
  /** Parses another content of the file as if it were loaded now; throws CatalogueError. */
  parse: (text: string, signal: AbortSignal) => Promise<ParsedCatalogue>;
  stop: () => void;
}

/**
 * Loads a catalogue and reloads it when its file changes. A changed file that is invalid is logged, and the previous routes
 * stay in use.
 *
 * @throws CatalogueError when the file is invalid at the start
 */
export async function openLiveCatalogue(options: LiveCatalogueOptions): Promise<LiveCatalogue> {
  const { file, variables, logger } = options;
  const stopped = new AbortController();
  let lastText: string | undefined = await readCatalogueFile(file);
  const parse = (text: string, signal: AbortSignal) =>
    parseInWorker({ file, text, before: inUse.routes }, variables, signal);
  const use = (parsed: ParsedCatalogue): CatalogueInUse => {
    if (parsed.warnings.length > 0) {
      const warnings = parsed.warnings.map((warning) => formatProblem(file, warning));
      logger.warn({ file, warnings }, 'the catalogue has entries without effect');
    }
    return { ...parsed, file, loadedAtMs: Date.now(), problems: [] };
  };
  // Nothing else runs yet, and starting a thread takes half a second of CPU time.
  let inUse = use(catalogueFromText(file, lastText, (name) => variables[name]));
  options.onRoutes(inUse.routes);
  const reload = async () => {
    try {
      const before = lastText;
      // Unset while the file cannot be read, so that its return is reported even with the same text.
      lastText = undefined;
      const text = await readCatalogueFile(file);
      lastText = text;
      if (text === before) return;
      inUse = use(await parse(text, stopped.signal));
      options.onRoutes(inUse.routes);
      options.onReload(true);
      logger.info({ file }, 'the catalogue was reloaded');
    } catch (error) {
      if (stopped.signal.aborted) return;
      inUse = { ...inUse, problems: problemsOf(error) };
      options.onReload(false);
      logger.error(
        { file, problems: messageOf(error).split('\n') },
        'the changed catalogue is invalid; the previous one stays in use',
      );
    }
  };
  let running: Promise<void> = Promise.resolve();
  const watch = watchFile(file, options.pollMs, logger, () => {
    running = running.then(reload);
  });
  // Notices a change between the first reading and the watch.
  running = running.then(reload);
  return {
    get inUse() {
      return inUse;
    },
    parse,
    stop: () => {
      watch.stop();
      stopped.abort();
    },
  };
}

function problemsOf(error: unknown): readonly Problem[] {
  if (error instanceof CatalogueError) return error.problems;
  return [{ line: 1, column: 1, path: '', message: messageOf(error) }];
}
