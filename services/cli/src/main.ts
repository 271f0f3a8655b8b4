import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { run } from './program.ts';
import { readSecret } from './terminal/read-secret.ts';

process.exitCode = await run(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  writeOut: async (part) => {
    if (!process.stdout.write(part)) await once(process.stdout, 'drain');
  },
  stderr: (text) => process.stderr.write(text),
  readSecret,
  env: process.env,
  cwd: process.cwd(),
  now: Date.now,
  delay: (ms) => setTimeout(ms),
});
