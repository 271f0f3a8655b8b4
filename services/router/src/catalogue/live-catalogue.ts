import { messageOf } from '@tollgate/common/errors';
import type { Logger } from '@tollgate/common/logging';
import type { VariableLookup } from './base-url.ts';
import { readCatalogueFile, routesFromText } from './load.ts';
import type { Routes } from './to-routes.ts';
import { watchFile } from './watch-file.ts';

export interface LiveCatalogueOptions {
  file: string;
  pollMs: number;
  lookup: VariableLookup;
  logger: Logger;
  /** Gets the routes at the start, and again after each change that can be used. */
  onRoutes: (routes: Routes) => void;
  /** Told of each later reading of a changed file. */
  onReload: (usable: boolean) => void;
}

export interface LiveCatalogue {
  stop: () => void;
}

/**
 * Loads a catalogue and follows its file. A changed file that cannot be used is logged, and what was loaded before
 * stays.
 *
 * @throws CatalogueError when the file cannot be used at the start
 */
export async function openLiveCatalogue(options: LiveCatalogueOptions): Promise<LiveCatalogue> {
  const { file, lookup, logger } = options;
  let lastText: string | undefined = await readCatalogueFile(file);
  let routes = routesFromText(file, lastText, lookup);
  options.onRoutes(routes);
  const reload = async () => {
    try {
      const before = lastText;
      // Forgotten while the file cannot be read, so that its return counts even with the same text.
      lastText = undefined;
      const text = await readCatalogueFile(file);
      lastText = text;
      if (text === before) return;
      routes = routesFromText(file, text, lookup, routes);
      options.onRoutes(routes);
      options.onReload(true);
      logger.info({ file }, 'the catalogue was loaded again');
    } catch (error) {
      options.onReload(false);
      logger.error(
        { file, problems: messageOf(error).split('\n') },
        'the changed catalogue is not usable, the old one stays',
      );
    }
  };
  let running: Promise<void> = Promise.resolve();
  const watch = watchFile(file, options.pollMs, logger, () => {
    running = running.then(reload);
  });
  // Sees a change that came between the first reading and the watch.
  running = running.then(reload);
  return { stop: watch.stop };
}
