import { basename, dirname, parse } from 'node:path';

/** What has to run: every test of `make test`, or those that depend on these files by their imports. */
export type Plan = 'everything' | string[];

/** Files that any test may depend on. */
const EVERYWHERE = [
  /(^|\/)package\.json$/,
  /^package-lock\.json$/,
  /(^|\/)(tsconfig|vitest\.config)[\w.]*$/,
  /^Makefile$/,
  /^deploy\/node/,
  /^proto\/.*\.(proto|yaml|ts)$/,
  /\.sql$/,
];

/** Code of a running service, or of what starts it. */
const PRODUCT = /^(services\/[^/]+|deploy\/local)\/src\/(?!.*\.test\.ts$)/;

/** Tests of running services, and the file by which other tests start them. No import leads from these to a service. */
const USE_RUNNING_SERVICES = [/^test\/integration\/.*\.test\.ts$/, /^test\/support\/gateway\/stack\.ts$/];

/** Text of a source that starts a service by itself. */
const STARTS_A_SERVICE = /\bsrc\/main\.ts'/;

/**
 * What the changed files can affect. Imports are followed later. Beside them, a source depends on a file that it names, or whose
 * kind it looks for (`*.md`). For files that nobody imports, it depends on those whose folder it names, and a test on those
 * beside it.
 *
 * @param sources the text of every TypeScript file, by path
 */
export function affectedBy(changed: readonly string[], sources: ReadonlyMap<string, string>): Plan {
  if (changed.some((file) => EVERYWHERE.some((pattern) => pattern.test(file)))) return 'everything';
  const affected = new Set(changed);
  for (const [source, text] of sources) {
    if (changed.some((file) => dependsOn(source, text, file))) affected.add(source);
  }
  return [...affected].sort();
}

function dependsOn(source: string, text: string, file: string): boolean {
  const { dir, ext } = parse(file);
  if (text.includes(shortPath(file)) || (ext !== '' && text.includes(`*${ext}'`))) return true;
  if (PRODUCT.test(file) && usesRunningServices(source, text)) return true;
  if (/^\.tsx?$/.test(ext) || dir === '') return false;
  return namesFolder(text, dir) || (source.endsWith('.test.ts') && dirname(source) === dir);
}

/** Whether a text ends with the folder, or goes on with a variable: it then means any file inside. */
function namesFolder(text: string, folder: string): boolean {
  const path = folder.includes('/') ? shortPath(folder) : folder;
  const names = [`${path}'`, `${path}/'`, `${path}/$`, `/${basename(folder)}/'`, `/${basename(folder)}/$`];
  return names.some((name) => text.includes(name));
}

/** The last folder and the name: a path may be relative to any folder above. */
function shortPath(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function usesRunningServices(source: string, text: string): boolean {
  if (USE_RUNNING_SERVICES.some((pattern) => pattern.test(source))) return true;
  return source.startsWith('services/') && STARTS_A_SERVICE.test(text);
}
