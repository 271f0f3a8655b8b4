import { openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { formatDollars, NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { CreateKeyRequest, CreateProjectRequest, CreateServiceAccountRequest } from '@tollgate/proto/auth';
import { createAccount } from './accounts.ts';

const CALL = { deadlineMs: 20_000 };
const CAP_NANOS = 50_000n * NANOS_PER_DOLLAR;
const CAPS = { dayNanos: CAP_NANOS, totalNanos: CAP_NANOS };
/** As deep as keys go below keys. */
const DERIVED = 3;

/**
 * Creates accounts with one key each whose requests pass six nodes of two caps: a project, a service account, its key, and three keys
 * below that.
 *
 * @returns the last keys
 */
export async function createCappedKeys(
  services: { auth: string; ledger: string },
  baseUrl: string,
  count: number,
): Promise<string[]> {
  const { auth, ledger, close } = openOperatorClients(services);
  try {
    const keys: string[] = [];
    for (let index = 1; index <= count; index += 1) {
      const name = `Benchmark with caps ${index}`;
      const accountId = await createAccount({ auth, ledger }, name);
      const settings = { caps: CAPS };
      const { project } = await unaryCall(
        auth.createProject.bind(auth),
        CreateProjectRequest.fromPartial({ accountId, name, settings }),
        CALL,
      );
      const { serviceAccount } = await unaryCall(
        auth.createServiceAccount.bind(auth),
        CreateServiceAccountRequest.fromPartial({ accountId, projectId: project?.projectId ?? '', name, settings }),
        CALL,
      );
      const { secret } = await unaryCall(
        auth.createKey.bind(auth),
        CreateKeyRequest.fromPartial({
          accountId,
          name,
          serviceAccountId: serviceAccount?.serviceAccountId ?? '',
          caps: CAPS,
        }),
        CALL,
      );
      let key = secret;
      for (let depth = 1; depth <= DERIVED; depth += 1) key = await deriveKey(baseUrl, key, `${name}.${depth}`);
      keys.push(key);
    }
    return keys;
  } finally {
    close();
  }
}

async function deriveKey(baseUrl: string, parent: string, name: string): Promise<string> {
  const amount = formatDollars(CAP_NANOS);
  const response = await fetch(new URL('/v1/keys', baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${parent}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, caps: { day: amount, total: amount } }),
    signal: AbortSignal.timeout(CALL.deadlineMs),
  });
  const body: unknown = await response.json();
  if (response.status !== 201 || typeof body !== 'object' || body === null || !('secret' in body))
    throw new Error(`a key below another was refused: ${response.status} ${JSON.stringify(body)}`);
  return String(body.secret);
}
