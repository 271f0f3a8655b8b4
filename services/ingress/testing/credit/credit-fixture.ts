import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, newTraceId } from '@tollgate/common/ids';
import { createLogger } from '@tollgate/common/logging';
import { ChargeStatus, type LedgerServiceClient } from '@tollgate/proto/ledger';
import type { ChargeRecord, Hold, HoldRequest, HoldResult, WalletOptions } from '../../src/wallet/credit/types.ts';
import { Wallet } from '../../src/wallet/wallet.ts';

const silent = createLogger('test', 'silent');

/** A new temporary folder, and a function that removes it. */
export async function temporaryFolder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'tollgate-journal-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

export function createWallet(
  ledger: LedgerServiceClient,
  journalDir: string,
  options: Partial<WalletOptions> = {},
): Wallet {
  return new Wallet({
    ledger,
    journalDir,
    journalMaxBytes: 16 * 1024 * 1024,
    ingressName: 'test-ingress',
    logger: silent,
    ...options,
  });
}

export function request(accountId: string, maxNanos: bigint, overrides: Partial<HoldRequest> = {}): HoldRequest {
  return { accountId, maxNanos, minNanos: maxNanos, signal: new AbortController().signal, ...overrides };
}

/** The record of a request that cost this much, in one line at one nano-dollar a token. */
export function record(accountId: string, costNanos: bigint, overrides: Partial<ChargeRecord> = {}): ChargeRecord {
  return {
    requestId: newId(),
    accountId,
    keyId: '0198a000-0000-7000-8000-000000000001',
    keyName: 'a key',
    traceId: newTraceId(),
    model: 'gpt-test',
    provider: 'simulated',
    deployment: 'simulated-1',
    protocolIn: 'openai-chat',
    protocolOut: 'openai-chat',
    streamed: true,
    status: ChargeStatus.COMPLETED,
    finishReason: 'stop',
    startedAtMs: BigInt(Date.now()),
    firstTokenMs: 12,
    durationMs: 345,
    retries: 0,
    usageEstimated: false,
    lines: [{ bucket: 'output', quantity: costNanos, rateNanosPerMillion: 1_000_000n, amountNanos: costNanos }],
    priceVersion: 'v1',
    discountPpm: 0,
    costNanos,
    trace: undefined,
    tags: {},
    nodes: [],
    reportedUsage: '',
    clientSessionId: '',
    agentId: '',
    parentAgentId: '',
    httpStatus: 0,
    errorType: '',
    attempts: [],
    ...overrides,
  };
}

/** The hold of a result; throws for any other result. */
export function heldBy(result: HoldResult): Hold {
  if (result.kind !== 'held') throw new Error(`expected a hold, got ${JSON.stringify(result, bigintText)}`);
  return result.hold;
}

function bigintText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 15_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not true within ${withinMs} ms: ${condition.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
