import { expect, it } from 'vitest';
import { areasOf } from './areas.ts';

const frame = (id: number, functionName: string, url: string) => ({ id, callFrame: { functionName, url } });

it('adds up the busy time by package, folder, part of Node.js and garbage collection', () => {
  const root = 'file:///app';
  const profile = {
    nodes: [
      frame(1, '(idle)', ''),
      frame(2, '(garbage collector)', ''),
      frame(3, 'dispatch', `${root}/node_modules/undici/lib/client.js`),
      frame(4, 'start', `${root}/node_modules/@opentelemetry/api/build/trace.js`),
      frame(5, 'end', `${root}/node_modules/@opentelemetry/sdk/build/span.js`),
      frame(6, 'settle', `${root}/services/ingress/src/journal/write.ts`),
      frame(7, 'writeGeneric', 'node:internal/stream_base_commons'),
      frame(8, 'inner', `${root}/node_modules/outer/node_modules/inner/index.js`),
    ],
    samples: [1, 2, 3, 4, 5, 6, 7, 8, 3],
    timeDeltas: [0, 1_000, 10, 20, 5, 15, 30, 10, 10],
  };
  expect(areasOf(profile).map(({ area, share }) => [area, Number(share.toFixed(2))])).toEqual([
    ['services/ingress/journal', 0.3],
    ['undici', 0.2],
    ['@opentelemetry', 0.2],
    ['garbage collection', 0.1],
    ['node:stream_base_commons', 0.1],
    ['inner', 0.1],
  ]);
});

it('rejects what is no profile', () => {
  expect(() => areasOf({ nodes: [] })).toThrow();
});
