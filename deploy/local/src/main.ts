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
// A terminal that was closed must not keep everything from being stopped in order.
process.stdout.on('error', () => first.resolve('the terminal was closed'));

const EXIT_TIMEOUT_MS = 5_000;

try {
  process.exitCode = await runUp(process.env, terminal, { first: first.promise, second: second.promise });
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// Nothing should be left to wait for; should there be, a person's Ctrl-C must end us all the same.
setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
