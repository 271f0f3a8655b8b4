import { expect, it } from 'vitest';
import { releaseChanges } from './changelog.ts';

const CHANGELOG = `# Changelog

Text.

## [Unreleased]

### Added

- Something.

## [1.0.0] - 2026-11-29

### Added

- Everything.
`;

it('moves what is unreleased to the version', () => {
  const { changelog, notes } = releaseChanges(CHANGELOG, '1.1.0', '2026-12-24');
  expect(changelog).toBe(CHANGELOG.replace('[Unreleased]\n', '[Unreleased]\n\n## [1.1.0] - 2026-12-24\n'));
  expect(notes).toBe('### Added\n\n- Something.');
});

it('moves the changes of the first version', () => {
  const first = CHANGELOG.slice(0, CHANGELOG.indexOf('\n## [1.0.0]'));
  expect(releaseChanges(first, '1.0.0', '2026-11-29').notes).toBe('### Added\n\n- Something.');
});

it('releases nothing if nothing has changed', () => {
  const { changelog } = releaseChanges(CHANGELOG, '1.1.0', '2026-12-24');
  expect(() => releaseChanges(changelog, '1.2.0', '2026-12-25')).toThrow('no changes under [Unreleased]');
  expect(() => releaseChanges('# Changelog\n', '1.2.0', '2026-12-25')).toThrow('no heading [Unreleased]');
});
