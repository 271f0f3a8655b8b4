import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type IngressConfig, readConfig } from '../config.ts';
import { BufferedResponse } from '../exchange/buffered-response.ts';
import { StreamRelay } from '../generate/stream-relay.ts';
import { warmUp } from './warm-up.ts';

let folder: string;
let lines: { level: string; msg: string; requests?: number }[];
const logger = createLogger('ingress', 'info', { destination: { write: (line) => void lines.push(JSON.parse(line)) } });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-warm-up-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** An ingress none of whose neighbours is there. */
function config(journal: string, requests = 40): IngressConfig {
  const nowhere = '127.0.0.1:1';
  return readConfig({
    AUTH_ADDRESS: nowhere,
    LEDGER_ADDRESS: nowhere,
    ROUTER_ADDRESS: nowhere,
    REDIS_URL: `redis://${nowhere}`,
    JOURNAL_DIR: journal,
    RECHARGE_URL: 'http://127.0.0.1/top-up',
    WARM_UP_REQUESTS: String(requests),
  });
}

// First, because it counts objects of the process, and those of other tests may still be there.
it('keeps an example of each kind of response, whose hidden classes then survive a collection', async () => {
  expect(queryObjects(BufferedResponse)).toBe(0);
  expect(queryObjects(StreamRelay)).toBe(0);
  await warmUp(config(folder, 1_500), logger);
  expect(queryObjects(BufferedResponse)).toBeGreaterThan(0);
  expect(queryObjects(StreamRelay)).toBeGreaterThan(0);
});

it('serves all its requests without a neighbour, and leaves nothing in the journal', async () => {
  const journal = join(folder, 'journal');
  await warmUp(config(journal), logger);
  expect(lines).toMatchObject([{ level: 'info', msg: 'warmed up', requests: 40 }]);
  expect(readdirSync(journal)).toEqual([]);
});

it('removes what a process left behind that was killed in its warm-up', async () => {
  const left = join(folder, 'warm-up');
  mkdirSync(left);
  writeFileSync(join(left, 'lock'), JSON.stringify({ pid: process.pid, started: '', host: 'another' }));
  await warmUp(config(folder), logger);
  expect(lines).toMatchObject([{ level: 'info', msg: 'warmed up' }]);
  expect(readdirSync(folder)).toEqual([]);
});

it('does not keep the process from starting when it fails', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await warmUp(config(file), logger);
  expect(lines).toMatchObject([{ level: 'warn', msg: 'the warm-up failed: the first requests will take longer' }]);
});
