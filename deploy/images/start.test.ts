import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const START = fileURLToPath(new URL('start', import.meta.url));
const COLLECTION = new URL('../../services/common/src/garbage-collection.ts', import.meta.url).href;

const PROGRAM = `
  import { setImmediate } from 'node:timers/promises';
  import { collectGarbage } from ${JSON.stringify(COLLECTION)};
  for (let round = 0; round < 20; round += 1) {
    const buffer = new WeakRef(Buffer.alloc(40 * 1024 * 1024));
    // A weak reference keeps its target until the task that created it is over.
    await setImmediate();
    collectGarbage();
    console.log(buffer.deref() === undefined ? 'freed' : 'kept');
  }
`;

it('lets a service free unreferenced memory', () => {
  const { status, stdout, stderr } = spawnSync(START, ['--input-type=module', '--eval', PROGRAM], {
    env: { ...process.env, NODE: process.execPath },
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'freed\n'.repeat(20), stderr: '' });
});
