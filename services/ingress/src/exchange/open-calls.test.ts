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
