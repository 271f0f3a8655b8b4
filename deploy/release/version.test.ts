import { describe, expect, it } from 'vitest';
import { compareVersions } from './version.ts';

/** The example of semver.org, and more: each is newer than the one before it. */
const ORDERED = [
  '0.1.0',
  '0.9.0',
  '0.10.0',
  '1.0.0-1',
  '1.0.0-2',
  '1.0.0-10',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '1.0.1',
  '1.1.0',
  '2.0.0',
];

describe('versions', () => {
  it('are ordered', () => {
    for (const [index, one] of ORDERED.entries()) {
      const signs = ORDERED.map((other) => Math.sign(compareVersions(one, other) ?? Number.NaN));
      expect(signs, one).toEqual(ORDERED.map((_, place) => Math.sign(index - place)));
    }
  });

  it.each(['', '1', '1.2', 'v1.2.0', '1.2.0 ', '01.2.0', '1.2.0-', '1.2.0-01', '1.2.0-a..b', '1.2.0+build', '1.2.x'])(
    'are not %j',
    (text) => {
      expect(compareVersions(text, '1.0.0')).toBeUndefined();
    },
  );
});
