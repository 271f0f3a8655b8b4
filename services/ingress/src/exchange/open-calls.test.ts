import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { OpenCalls } from './open-calls.ts';

it('stops open calls and later ones, but none that has ended', () => {
  const calls = new OpenCalls();
  const stopped: string[] = [];
  const callNamed = (name: string) => ({ stop: () => void stopped.push(name) });
  const place = calls.add(callNamed('ended'));
  calls.add(callNamed('open'));
  calls.delete(place);
  expect(calls.add(callNamed('next'))).toBe(place);
  calls.stopAll();
  expect(stopped).toEqual(['next', 'open']);
  calls.add(callNamed('late'));
  expect(stopped).toEqual(['next', 'open', 'late']);
  calls.stopAll();
  expect(stopped).toEqual(['next', 'open', 'late']);
});

/** Opens and ends many calls, few at once, and reports how far the old generation grew meanwhile. */
const MANY_CALLS = `
  const { parentPort } = require('node:worker_threads');
  const { getHeapSpaceStatistics } = require('node:v8');
  const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space').space_used_size;
  import(${JSON.stringify(new URL('open-calls.ts', import.meta.url).href)}).then(({ OpenCalls }) => {
    const calls = new OpenCalls();
    const newCall = () => ({ stop() {}, payload: Array.from({ length: 100 }, () => 0) });
    const places = [calls.add(newCall())];
    // Young collections move what is in use for long, as between two bursts of calls, to the old generation.
    for (let i = 0; i < 200_000; i++) newCall();
    const before = oldBytes();
    let growth = 0;
    for (let i = 0; i < 100_000; i++) {
      places.push(calls.add(newCall()));
      if (places.length > 32) calls.delete(places.shift());
      if (i % 500 === 0) growth = Math.max(growth, oldBytes() - before);
    }
    parentPort.postMessage(growth);
  });
`;

it('leaves ended calls to the collections of the young generation', async () => {
  const worker = new Worker(MANY_CALLS, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
  const [growth] = await once(worker, 'message');
  await worker.terminate();
  expect(growth).toBeLessThan(4 * 1024 * 1024);
});
