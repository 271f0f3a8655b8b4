import { expect, it } from 'vitest';
import { OpenCalls } from './open-calls.ts';

it('stops open calls and later ones, but none that has ended', () => {
  const calls = new OpenCalls();
  const stopped: string[] = [];
  const callNamed = (name: string) => ({ stop: () => void stopped.push(name) });
  const ended = callNamed('ended');
  calls.add(callNamed('open'));
  calls.add(ended);
  calls.delete(ended);
  calls.stopAll();
  expect(stopped).toEqual(['open']);
  calls.add(callNamed('late'));
  expect(stopped).toEqual(['open', 'late']);
  calls.stopAll();
  expect(stopped).toEqual(['open', 'late']);
});
