import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collectResponse } from '../../src/canonical/response-collector.ts';
import { response } from './arbitrary.ts';
import { checkStream } from './check-stream.ts';
import { toStreamEvents } from './to-stream-events.ts';

test('a buffered response and its stream have the same content', () => {
  fc.assert(
    fc.property(response(), (answer) => {
      const events = toStreamEvents(answer);
      checkStream(events);
      expect(collectResponse(events)).toEqual(answer);
    }),
  );
});
