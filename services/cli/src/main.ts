import { userInfo } from 'node:os';
import { run } from './program.ts';

process.exitCode = await run(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  user,
  now: Date.now,
});

function user(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
