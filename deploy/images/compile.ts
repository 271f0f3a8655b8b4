import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

/**
 * Fills the compile cache of an image with the bundle of its service: `compile.ts NAME`. Node.js then does not compile it at
 * the start, which takes less time and memory.
 *
 * Node.js reads compiled code only with the flags that it was compiled with, so the service is started as in the image, with a
 * setting that it refuses: it has loaded its code by then, and connects to nothing.
 */
const [service = ''] = process.argv.slice(2);
const { status, stdout } = spawnSync('deploy/images/start', [`services/${service}/dist/main.cjs`], {
  env: { ...process.env, NODE: process.execPath, LOG_LEVEL: 'invalid' },
  encoding: 'utf8',
});
if (status !== 1 || !stdout.includes('LOG_LEVEL')) throw new Error(`${service} did not refuse its setting: ${stdout}`);
const folder = process.env['NODE_COMPILE_CACHE'];
if (folder === undefined || readdirSync(folder).length === 0) throw new Error('NODE_COMPILE_CACHE is still empty');
