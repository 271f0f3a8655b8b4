import { readdirSync } from 'node:fs';
import { build } from 'rolldown';

/**
 * Bundles services for their images: `bundle.ts NAME...` writes the code that a service loads at its start, with that of
 * its packages, to `services/NAME/dist/main.cjs`, and its tasks, `src/task.ts`, and the programs of its threads, `src/*-worker.ts`, beside it. See
 * docs/decisions/0001.
 */

/** Packages that few processes need, and load on demand. */
const EXTERNAL = [/^@aws-sdk\//, /^@smithy\//, /^google-auth-library$/, /^gpt-tokenizer\//, /^pdfkit$/, /^fontkit$/];

for (const service of process.argv.slice(2)) {
  const source = `services/${service}/src`;
  const programs = readdirSync(source).filter((file) => /^(main|task|.*-worker)\.ts$/.test(file));
  await build({
    input: programs.map((file) => `${source}/${file}`),
    platform: 'node',
    external: EXTERNAL,
    tsconfig: false,
    logLevel: 'warn',
    output: {
      dir: `services/${service}/dist`,
      // To an ES module, Node.js exports all that `node:http` has, for which it loads undici: 3 MiB and 70 ms of CPU time.
      format: 'cjs',
      dynamicImportInCjs: false,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      cleanDir: true,
      // Stack traces refer to lines. Without white space, a process takes 1 MiB less.
      minify: false,
      comments: false,
      // V8 keeps a text as two bytes for each character if one of them is not in Latin-1.
      charset: 'ascii',
    },
  });
}
