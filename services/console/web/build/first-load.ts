import { gzipSync } from 'node:zlib';
import type { Plugin, Rollup } from 'vite';

const BUDGET_BYTES = 250_000;

/** Fails the build if what a browser loads before the first page, compressed, is larger than the budget. */
export function firstLoadBudget(): Plugin {
  return {
    name: 'first-load-budget',
    apply: 'build',
    writeBundle(_options, bundle) {
      const files = firstLoad(bundle);
      const bytes = [...files].reduce(
        (sum, name) => sum + gzipSync(contentOf(bundle, name), { level: 9 }).byteLength,
        0,
      );
      if (bytes <= BUDGET_BYTES) return;
      throw new Error(
        `the first load is ${bytes} bytes compressed, more than ${BUDGET_BYTES}: ${[...files].join(', ')}`,
      );
    },
  };
}

/** Scripts that the entry imports statically, itself included, and the styles of all of them. */
function firstLoad(bundle: Rollup.OutputBundle): Set<string> {
  const found = new Set<string>();
  const visit = (name: string) => {
    const chunk = bundle[name];
    if (found.has(name) || chunk?.type !== 'chunk') return;
    found.add(name);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    for (const imported of chunk.imports) visit(imported);
  };
  for (const [name, chunk] of Object.entries(bundle)) if (chunk.type === 'chunk' && chunk.isEntry) visit(name);
  return found;
}

function contentOf(bundle: Rollup.OutputBundle, name: string): string | Uint8Array {
  const file = bundle[name];
  if (file === undefined) return '';
  return file.type === 'chunk' ? file.code : file.source;
}
