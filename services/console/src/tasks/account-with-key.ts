import { createOperatorClient, openOperatorClients } from '@tollgate/common/actors/operator';
import { failedWith } from '@tollgate/common/errors';
import { unaryCall } from '@tollgate/common/grpc/client';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { CreateKeyRequest, DeleteKeyRequest } from '@tollgate/proto/auth';
import { DepositKind } from '@tollgate/proto/ledger';
import { onceThereIsAnOperator } from './once-there-is-an-operator.ts';

const CALL = { deadlineMs: 30_000 };

export interface AccountWithKey {
  accountId: string;
  /** The key's text. */
  key: string;
  /** Whether an earlier call has given it another credit, to which nothing was added. */
  hasOtherCredit: boolean;
  /** Deletes the key, not the account. */
  deleteKey: () => Promise<void>;
}

/**
 * Creates an account with this name and credit, unless an earlier call has, and creates a new key for it. Reads
 * AUTH_ADDRESS, LEDGER_ADDRESS and the GRPC_TLS_ settings from the environment.
 *
 * @throws Error when a variable is missing; ServiceError of grpc-js
 */
export async function createAccountWithKey(name: string, creditNanos: bigint): Promise<AccountWithKey> {
  const addresses = { auth: required('AUTH_ADDRESS'), ledger: required('LEDGER_ADDRESS') };
  const { auth, ledger, close } = openOperatorClients(addresses, grpcTls(process.env), operator());
  try {
    const idempotencyKey = `chart-${name}`;
    const { account } = await onceThereIsAnOperator(() =>
      unaryCall(auth.createAccount.bind(auth), { name, idempotencyKey }, CALL),
    );
    if (account === undefined) throw new Error('auth returned no account');
    const { accountId } = account;
    const kind = DepositKind.DEPOSIT;
    const deposit = { accountId, kind, amountNanos: creditNanos, idempotencyKey, reason: `${name} credit` };
    const hasOtherCredit = await unaryCall(ledger.deposit.bind(ledger), deposit, CALL).then(
      () => false,
      // The idempotency key was used with another amount.
      (error: unknown) => failedWith(error, 'already_exists') || Promise.reject(error),
    );
    const request = CreateKeyRequest.fromPartial({ accountId, name: `${name} key` });
    const { key, secret } = await unaryCall(auth.createKey.bind(auth), request, CALL);
    return { accountId, key: secret, hasOtherCredit, deleteKey: () => deleteKey(key?.keyId ?? '') };
  } finally {
    close();
  }
}

async function deleteKey(keyId: string): Promise<void> {
  const auth = createOperatorClient(required('AUTH_ADDRESS'), grpcTls(process.env), operator());
  try {
    await unaryCall(auth.deleteKey.bind(auth), DeleteKeyRequest.fromPartial({ keyId }), CALL);
  } finally {
    auth.close();
  }
}

/** The first operator, who acts. */
function operator(): string | undefined {
  return process.env['FIRST_OPERATOR_EMAIL'] || undefined;
}

/** An environment variable that must be set. */
export function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
