const UNRELEASED = '## [Unreleased]\n';

/** What a release writes to the changelog. */
export interface Release {
  changelog: string;
  /** The changes of the version, in Markdown. */
  notes: string;
}

/**
 * Moves what is unreleased to a version.
 *
 * @throws Error when nothing is unreleased
 */
export function releaseChanges(changelog: string, version: string, date: string): Release {
  const start = changelog.indexOf(UNRELEASED);
  if (start === -1) throw new Error('CHANGELOG.md has no heading [Unreleased]');
  const [before, after] = [changelog.slice(0, start), changelog.slice(start + UNRELEASED.length)];
  const end = after.indexOf('\n## ');
  const notes = (end === -1 ? after : after.slice(0, end)).trim();
  if (notes === '') throw new Error('CHANGELOG.md has no changes under [Unreleased]');
  return { changelog: `${before}${UNRELEASED}\n## [${version}] - ${date}\n${after}`, notes };
}
