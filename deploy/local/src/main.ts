import { runUp } from './up/run.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const first = Promise.withResolvers<string>();
const second = Promise.withResolvers<string>();
let signals = 0;
for (const signal of SIGNALS) {
  process.on(signal, () => {
    signals += 1;
    (signals === 1 ? first : second).resolve(signal);
  });
}

const terminal = {
  write: (text: string) => {
    process.stdout.write(text);
  },
  colour: process.stdout.isTTY && process.env['NO_COLOR'] === undefined,
};
// A closed terminal must not prevent an orderly stop.
process.stdout.on('error', () => first.resolve('the terminal was closed'));

const EXIT_TIMEOUT_MS = 5_000;

try {
  process.exitCode = await runUp(process.env, terminal, { first: first.promise, second: second.promise });
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// Nothing should be pending now; if something is, Ctrl-C must still end the process.
setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
