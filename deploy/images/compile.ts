import { readdirSync } from 'node:fs';
import { flushCompileCache, getCompileCacheDir } from 'node:module';

/**
 * Fills the compile cache of an image by importing the modules of its service: `compile.ts NAME`. Node.js then neither
 * strips types nor compiles at the start, which takes less time and memory.
 */
const [service = ''] = process.argv.slice(2);
const root = new URL('../../services/', import.meta.url);
const modules = ['run-main', 'http-server', 'telemetry', 'shutdown', 'grpc/service'].map(
  (name) => `common/src/${name}.ts`,
);
const own = ['config', 'dependencies', 'server'].map((name) => `${service}/src/${name}.ts`);
for (const path of [...modules, ...own]) await import(new URL(path, root).href);
flushCompileCache();
const folder = getCompileCacheDir();
if (folder === undefined || readdirSync(folder).length === 0)
  throw new Error('nothing was cached: is NODE_COMPILE_CACHE set?');
process.exit();
