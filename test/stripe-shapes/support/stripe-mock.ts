import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CHECKOUT } from '@tollgate/local';

const FOLDER = join(CHECKOUT, '.cache/stripe-mock');
const START_MS = 60_000;

export interface StripeMock {
  port: number;
  stop: () => Promise<void>;
}

/** Starts stripe-mock, which `test/stripe-shapes/install` has built, on a port of the loopback interface. */
export async function startStripeMock(): Promise<StripeMock> {
  const version = readdirSync(FOLDER).find((name) => name.startsWith('v'));
  const program = join(FOLDER, version ?? '', 'stripe-mock');
  const child = spawn(program, ['-http-addr', '127.0.0.1:0', '-https-addr', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  // The end of its log explains a failed start.
  let log = '';
  child.stderr.on('data', (bytes: Buffer) => {
    log = (log + bytes.toString('utf8')).slice(-4_000);
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`stripe-mock did not start: ${log}`)), START_MS);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`stripe-mock ended with ${String(code)}: ${log}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /Listening for HTTP at address: .*:(\d+)$/.exec(line)?.[1];
        if (found === undefined) return;
        clearTimeout(timer);
        resolve(Number(found));
      });
    });
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
