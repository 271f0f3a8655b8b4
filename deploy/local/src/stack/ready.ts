import { credentials, Metadata } from '@grpc/grpc-js';
import { HealthClient, HealthCheckResponse_ServingStatus as ServingStatus } from '@tollgate/proto/health';
import type { Child } from '../processes/child.ts';
import { waitUntil } from '../processes/wait.ts';

const READY_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 2_000;

/** Waits until a gRPC service reports that it serves (grpc.health.v1). */
export async function waitForGrpc(child: Child, address: string): Promise<void> {
  const client = new HealthClient(address, credentials.createInsecure(), {
    'grpc.initial_reconnect_backoff_ms': 50,
    'grpc.max_reconnect_backoff_ms': 200,
  });
  const ask = () =>
    new Promise<boolean>((resolve) => {
      const options = { deadline: Date.now() + CALL_TIMEOUT_MS };
      client.check({ service: '' }, new Metadata(), options, (error, response) => {
        resolve(error === null && response.status === ServingStatus.SERVING);
      });
    });
  try {
    await waitForChild(child, ask);
  } finally {
    client.close();
  }
}

/** Waits until an address returns 200. */
export async function waitForHttp(child: Child, url: string): Promise<void> {
  await waitForChild(child, async () => {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  });
}

async function waitForChild(child: Child, ask: () => Promise<boolean>): Promise<void> {
  const askTheLiving = () => {
    if (child.hasEnded()) throw new Error(`${child.name} ended while it started`);
    return ask();
  };
  try {
    await waitUntil(askTheLiving, { what: `waiting for ${child.name} to be ready`, timeoutMs: READY_TIMEOUT_MS });
  } catch (error) {
    const lines = child.lastLines().join('\n');
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${reason}. Its last lines:\n${lines}`, { cause: error });
  }
}
