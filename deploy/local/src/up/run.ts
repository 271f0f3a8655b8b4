import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeCombined } from '../catalogue/combine.ts';
import { CHECKOUT } from '../stack/services.ts';
import { startStack } from '../stack/start.ts';
import type { Stack } from '../stack/types.ts';
import { removeFacts, writeFacts } from './facts-file.ts';
import { prettyLine } from './pretty-line.ts';
import { welcome } from './ready-message.ts';
import { readSettings } from './settings.ts';

/** Output for humans. */
export interface Terminal {
  write: (text: string) => void;
  colour: boolean;
}

/**
 * Runs `make up` until a signal arrives or a process dies.
 *
 * @param interrupts resolves with each signal's name: the first stops everything in order, the second at once
 * @returns the exit status
 */
export async function runUp(
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  interrupts: { first: Promise<string>; second: Promise<string> },
): Promise<number> {
  const settings = readSettings(env, CHECKOUT);
  const begun = Date.now();
  const [first = '', ...others] = settings.catalogues;
  const catalogue = others.length === 0 ? first : join(settings.stack.data, 'catalogue.yaml');
  const aborted = new AbortController();
  const starting = interrupts.first.then(() => aborted.abort(new Interrupted()));
  const listener = {
    // A killed run leaves its facts behind.
    onBegin: () => {
      for (const file of settings.factsFiles) rmSync(file, { force: true });
      if (others.length > 0) writeCombined(catalogue, settings.catalogues);
    },
    onStep: (text: string) => terminal.write(`- ${text}\n`),
    onLine: (service: string, line: string) => {
      const text = prettyLine(service, line, terminal.colour);
      if (text !== undefined) terminal.write(`${text}\n`);
    },
  };
  let stack: Stack;
  try {
    stack = await startStack({ ...settings.stack, catalogue, signal: aborted.signal }, listener);
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    await starting;
    terminal.write('Stopped before it was ready.\n');
    return 0;
  }
  try {
    for (const file of settings.factsFiles) writeFacts(file, stack.facts);
    terminal.write(welcome(stack.facts, stack.logs.folder, stack.facts.pids['simulator'] !== undefined));
    terminal.write(`(ready after ${((Date.now() - begun) / 1_000).toFixed(1)} s)\n`);
    return await untilTheEnd(stack, terminal, interrupts);
  } finally {
    for (const file of settings.factsFiles) removeFacts(file, stack.facts);
    await stack.stop();
    terminal.write('Everything is stopped.\n');
  }
}

async function untilTheEnd(
  stack: Stack,
  terminal: Terminal,
  interrupts: { first: Promise<string>; second: Promise<string> },
): Promise<number> {
  const end = await Promise.race([interrupts.first, stack.died]);
  void interrupts.second.then(() => stack.abandon());
  if (typeof end === 'string') {
    terminal.write('\nStopping (once more stops at once)\n');
    return 0;
  }
  terminal.write(`\n${end.service} ${end.how}. Its last lines:\n${end.lastLines.join('\n')}\n\nStopping the others.\n`);
  return 1;
}

/** A signal aborted the start. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
