import { expect, it } from 'vitest';
import { requireOpenFiles } from './describe.ts';

it('says how many open files so many streams need, if the machine does not allow them', () => {
  expect(() => requireOpenFiles(1_000, 1_024)).toThrow(
    '2200 open files in a process, and the limit is 1024: ulimit -n 2200',
  );
  expect(() => requireOpenFiles(1_000, 2_200)).not.toThrow();
});
