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
  /** Called after each later attempt to load a changed file. */
  onReload: (usable: boolean) => void;
}

export interface LiveCatalogue {
  stop: () => void;
}

/**
 * Loads a catalogue and reloads it when its file changes. A changed file that is invalid is logged, and the previous routes
 * stay in use.
 *
 * @throws CatalogueError when the file is invalid at the start
 */
export async function openLiveCatalogue(options: LiveCatalogueOptions): Promise<LiveCatalogue> {
  const { file, lookup, logger } = options;
  let lastText: string | undefined = await readCatalogueFile(file);
  let routes = routesFromText(file, lastText, lookup);
  options.onRoutes(routes);
  const reload = async () => {
    try {
      const before = lastText;
      // Unset while the file cannot be read, so that its return is reported even with the same text.
      lastText = undefined;
      const text = await readCatalogueFile(file);
      lastText = text;
      if (text === before) return;
      routes = routesFromText(file, text, lookup, routes);
      options.onRoutes(routes);
      options.onReload(true);
      logger.info({ file }, 'the catalogue was reloaded');
    } catch (error) {
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
  return { stop: watch.stop };
}
