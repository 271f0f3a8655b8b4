import { openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import { NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { type AuthServiceClient, CreateKeyRequest } from '@tollgate/proto/auth';
import { DepositKind } from '@tollgate/proto/ledger';

const CALL = { deadlineMs: 20_000 };
/** Enough for every request of the longest run. */
const CREDIT_NANOS = 100_000n * NANOS_PER_DOLLAR;

/** Keys created at the same time. */
const CONCURRENCY = 16;

type Clients = Pick<ReturnType<typeof openOperatorClients>, 'auth' | 'ledger'>;

interface Services {
  auth: string;
  ledger: string;
}

/** Creates accounts with credit and one key each. @returns the keys */
export async function createAccounts(services: Services, count: number): Promise<string[]> {
  const { auth, ledger, close } = openOperatorClients(services);
  const keys: string[] = [];
  try {
    for (let index = 1; index <= count; index += 1) {
      const accountId = await createAccount({ auth, ledger }, `Benchmark ${index}`);
      keys.push(await createKey(auth, accountId, 'Benchmark'));
    }
    return keys;
  } finally {
    close();
  }
}

/** Creates one account with credit and many keys. @returns the keys */
export async function createKeys(services: Services, count: number): Promise<string[]> {
  const { auth, ledger, close } = openOperatorClients(services);
  try {
    const accountId = await createAccount({ auth, ledger }, 'Benchmark with many keys');
    const keys: string[] = [];
    let started = 0;
    const createInTurn = async () => {
      while (started < count) keys.push(await createKey(auth, accountId, `Benchmark ${++started}`));
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, createInTurn));
    return keys;
  } finally {
    close();
  }
}

/** Creates a key of an account that has credit. @returns the key */
export async function createKeyOf(services: Services, accountId: string): Promise<string> {
  const { auth, close } = openOperatorClients(services);
  try {
    return await createKey(auth, accountId, 'Benchmark');
  } finally {
    close();
  }
}

/** Creates an account with credit. @returns its id */
export async function createAccount({ auth, ledger }: Clients, name: string): Promise<string> {
  const { account } = await unaryCall(auth.createAccount.bind(auth), { name, idempotencyKey: newId() }, CALL);
  if (account === undefined) throw new Error('auth returned no account');
  const { accountId } = account;
  const credit = { accountId, kind: DepositKind.DEPOSIT, amountNanos: CREDIT_NANOS, reason: 'Benchmark' };
  await unaryCall(ledger.deposit.bind(ledger), { ...credit, idempotencyKey: `benchmark-${accountId}` }, CALL);
  return accountId;
}

async function createKey(auth: AuthServiceClient, accountId: string, name: string): Promise<string> {
  const key = CreateKeyRequest.fromPartial({ accountId, name });
  const { secret } = await unaryCall(auth.createKey.bind(auth), key, CALL);
  return secret;
}
