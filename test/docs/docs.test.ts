import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { anchorsOf, codeSpansOf, linksOf, withoutCodeBlocks } from './markdown.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const IGNORED = new Set(['node_modules', '.git', '.cache', 'generated', '.tollgate']);

const filesNamed = (pattern: string) =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => IGNORED.has(basename(path)) }).sort();
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const PAGES = filesNamed('**/*.md');
const TEST_FILES = new Set(filesNamed('{services,deploy,test,bench,helm}/**/*.test.ts').map((file) => basename(file)));
const MAKE_TARGETS = new Set([...read('Makefile').matchAll(/^([a-z-]+):/gm)].map(([, target]) => target));

/** What is wrong with a link of a page; undefined where it leads to a file, and to a heading of it. */
function faultOf(page: string, target: string): string | undefined {
  if (/^[a-z]+:/.test(target)) return undefined;
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`;
  if (anchor === undefined || anchorsOf(read(file)).has(anchor)) return undefined;
  return `${file} has no heading #${anchor}`;
}

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  it('links to files and headings that exist', () => {
    const faults = linksOf(text).flatMap(({ target, line }) => {
      const fault = faultOf(page, target);
      return fault === undefined ? [] : [`${page}:${line}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('names files of the repository that exist', () => {
    const paths = codeSpansOf(text).filter((span) =>
      /^(services|deploy|test|bench|helm|proto|docs)\/[\w./-]+$/.test(span),
    );
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names test files that exist', () => {
    const names = codeSpansOf(text).flatMap((span) => /^(?:[\w./-]*\/)?([\w.-]+\.test\.ts)$/.exec(span)?.[1] ?? []);
    expect(names.filter((name) => !TEST_FILES.has(name))).toEqual([]);
  });

  it('names targets of the Makefile that exist', () => {
    const blocks = text.split('\n').flatMap((line) => /^(?:[A-Z]+=\S+ )?make ([a-z][a-z-]*)/.exec(line)?.[1] ?? []);
    const spans = codeSpansOf(text).flatMap((span) => /^(?:[A-Z]+=\S+ )*make ([a-z][a-z-]*)/.exec(span)?.[1] ?? []);
    expect([...blocks, ...spans].filter((target) => !MAKE_TARGETS.has(target))).toEqual([]);
  });
});

describe('README.md', () => {
  it('leads to every page', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { target } of linksOf(read(page))) {
        const file = join(dirname(page), target.split('#')[0] ?? '');
        if (PAGES.includes(file)) reached.add(file);
        // A link to a folder leads to its pages.
        else for (const inside of PAGES) if (dirname(inside) === file) reached.add(inside);
      }
    }
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });
});

describe('docs/reference/revocation.md', () => {
  it('names a test for each failure case', () => {
    const section = read('docs/reference/revocation.md').split('## Failure cases')[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.slice(1).filter((row) => !/`[\w-]+(?:\.db)?\.test\.ts` \|$/.test(row))).toEqual([]);
  });
});

describe('the Markdown parsers', () => {
  it('skip blocks of code', () => {
    const page = 'a\n```sh\n# [x](y)\n```\n[b](c) and `[d](e)`\n';
    expect(withoutCodeBlocks(page)).toBe('a\n\n\n\n[b](c) and `[d](e)`\n');
    expect(linksOf(page)).toEqual([{ target: 'c', line: 5 }]);
  });

  it('create the anchors of GitHub', () => {
    const page = '# A key, and `its` end\n## `TRUST_MS`\n### Same\n### Same\n';
    expect([...anchorsOf(page)]).toEqual(['a-key-and-its-end', 'trust_ms', 'same', 'same-1']);
  });

  it('find faults', () => {
    expect(faultOf('README.md', 'no-such-file.md')).toBe('no-such-file.md does not exist');
    expect(faultOf('README.md', '#no-such-heading')).toBe('README.md has no heading #no-such-heading');
  });
});
