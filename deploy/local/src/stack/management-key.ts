import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperatorClient } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { Role } from '@tollgate/proto/auth';

const TIMEOUT_MS = 20_000;
const VALID_MS = 365 * 86_400_000;

/** The management key of the command line, made anew when the one of an earlier start is no longer accepted. */
export async function ensureManagementKey(options: {
  data: string;
  auth: string;
  consoleUrl: string;
}): Promise<string> {
  const file = join(options.data, 'management-key');
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (kept !== '' && (await isAccepted(options.consoleUrl, kept))) return kept;
  const auth = createOperatorClient(options.auth);
  try {
    const expiresAtMs = BigInt(Date.now() + VALID_MS);
    const request = { accountId: '', name: 'make up', role: Role.OPERATOR, expiresAtMs };
    const { secret } = await unaryCall(auth.createManagementKey.bind(auth), request, { deadlineMs: TIMEOUT_MS });
    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    return secret;
  } finally {
    auth.close();
  }
}

async function isAccepted(consoleUrl: string, key: string): Promise<boolean> {
  const response = await fetch(`${consoleUrl}/management/v1/operator/models`, {
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.ok;
}
