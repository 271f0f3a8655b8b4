import { expect, it } from 'vitest';
import { Timeline } from './timeline.ts';

it('has the old value before a change, either value during it, and the new one afterwards', () => {
  const timeline = new Timeline('a');
  timeline.begin('b', 10).settle(20);
  expect(timeline.between(0, 9)).toEqual(['a']);
  expect(timeline.between(5, 10)).toEqual(['a', 'b']);
  expect(timeline.between(19, 50)).toEqual(['a', 'b']);
  expect(timeline.between(20, 50)).toEqual(['b']);
});

it('may have either value until a change has settled', () => {
  const timeline = new Timeline('a');
  const change = timeline.begin('b', 10);
  expect(timeline.between(1_000, 2_000)).toEqual(['a', 'b']);
  change.settle(50);
  expect(timeline.between(1_000, 2_000)).toEqual(['b']);
});

it('may have any value of overlapping changes', () => {
  const timeline = new Timeline('a');
  timeline.begin('b', 10).settle(20);
  timeline.begin('c', 30).settle(40);
  expect(timeline.between(15, 35)).toEqual(['a', 'b', 'c']);
  expect(timeline.between(25, 35)).toEqual(['b', 'c']);
});

it('follows a later change that settles before an earlier one', () => {
  const timeline = new Timeline('good');
  timeline.begin('dead', 1_000).settle(1_100);
  timeline.begin('cut', 20).settle(30);
  expect(timeline.between(30, 40)).toEqual(['cut']);
  expect(timeline.between(25, 28)).toEqual(['good', 'cut']);
});
