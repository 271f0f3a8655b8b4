import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { Recorder } from './recorder.ts';

it('keeps the last thousand calls, in order, and counts all', () => {
  const recorder = new Recorder();
  for (let call = 0; call < 2_500; call += 1) {
    recorder.end(recorder.begin('openai-chat', new IncomingMessage(new Socket())), 'finished');
  }
  const sequences = recorder.list().map((record) => record.sequence);
  expect(sequences).toEqual(Array.from({ length: 1_000 }, (_, index) => 1_501 + index));
  expect(recorder.stats).toMatchObject({ calls: 2_500, open: 0, finished: 2_500 });
});

it('keeps no oversized body', () => {
  const recorder = new Recorder();
  const record = recorder.begin('openai-chat', new IncomingMessage(new Socket()));
  recorder.keepBody(record, 'x'.repeat(32_769), 32_769);
  expect(record).toMatchObject({ body: null, body_bytes: 32_769 });
});
