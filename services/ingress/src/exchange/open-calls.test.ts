import { expect, it } from 'vitest';
import { OpenCalls } from './open-calls.ts';

it('stops open calls and later ones, but none that has ended', () => {
  const calls = new OpenCalls();
  const stopped: string[] = [];
  calls.add(() => stopped.push('open'));
  const forget = calls.add(() => stopped.push('ended'));
  forget();
  calls.stopAll();
  expect(stopped).toEqual(['open']);
  calls.add(() => stopped.push('late'));
  expect(stopped).toEqual(['open', 'late']);
  calls.stopAll();
  expect(stopped).toEqual(['open', 'late']);
});
