/**
 * Preloaded by a process under test (`NODE_OPTIONS=--import`): its clock is ahead of the machine's by the milliseconds in
 * the file TEST_CLOCK_FILE, which may change at any time. Only the process named TEST_CLOCK_OF is affected.
 */
import { readFileSync } from 'node:fs';

const { TEST_CLOCK_FILE: file, TEST_CLOCK_OF: name, INGRESS_NAME: own } = process.env;

if (file !== undefined && name !== undefined && name === own) {
  const machineMs = Date.now;
  const read = () => Number(readFileSync(file, 'utf8'));
  let aheadMs = read();
  setInterval(() => {
    aheadMs = read();
  }, 20).unref();
  Date.now = () => machineMs() + aheadMs;
}
