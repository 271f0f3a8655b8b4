import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { type AuthServiceClient, CreateKeyRequest } from '@tollgate/proto/auth';
import { DepositKind } from '@tollgate/proto/ledger';

const CALL = { deadlineMs: 20_000 };
const CREDIT_NANOS = 10n * NANOS_PER_DOLLAR;

export interface DemoAccountOptions {
  /** File of the key, kept between starts. */
  data: string;
  auth: string;
  ledger: string;
  /** Whether a key from an earlier start still works. */
  works: (key: string) => Promise<boolean>;
}

/** The id of the demo account, which the first call creates. */
export async function findDemoAccount(auth: AuthServiceClient): Promise<string> {
  const create = { name: 'Demo', idempotencyKey: 'local-demo-account' };
  const { account } = await unaryCall(auth.createAccount.bind(auth), create, CALL);
  if (account === undefined) throw new Error('auth returned no account');
  return account.accountId;
}

/** Creates a demo account with credit, once per database. @returns a key that works */
export async function ensureDemoAccount(options: DemoAccountOptions): Promise<string> {
  const { auth, ledger, close } = openOperatorClients(options);
  try {
    const accountId = await findDemoAccount(auth);
    const deposit = {
      accountId,
      kind: DepositKind.DEPOSIT,
      amountNanos: CREDIT_NANOS,
      idempotencyKey: 'local-demo-credit',
      reason: 'Demo credit',
    };
    await unaryCall(ledger.deposit.bind(ledger), deposit, CALL);

    const file = join(options.data, 'demo-key');
    const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    if (kept !== '' && (await options.works(kept))) return kept;
    const key = CreateKeyRequest.fromPartial({ accountId, name: 'Demo key' });
    const { secret } = await unaryCall(auth.createKey.bind(auth), key, CALL);
    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
    return secret;
  } finally {
    close();
  }
}
