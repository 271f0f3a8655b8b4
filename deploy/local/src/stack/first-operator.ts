import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_OPERATOR } from '@tollgate/common/actors/operator';
import { createGrpcClient, unaryCall } from '@tollgate/common/grpc/client';
import { hashPassword } from '@tollgate/console/passwords/password-hash';
import { AuthServiceClient } from '@tollgate/proto/auth';

/** Ensures that there is an operator, whose password is made at the first start of a data folder. @returns the password */
export async function ensureFirstOperator(data: string, authAddress: string): Promise<string> {
  const file = join(data, 'operator-password');
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(12).toString('base64url')}\n`, { mode: 0o600 });
  const password = readFileSync(file, 'utf8').trim();
  const auth = createGrpcClient(AuthServiceClient, authAddress);
  try {
    const request = { email: FIRST_OPERATOR, passwordHash: await hashPassword(password) };
    await unaryCall(auth.ensureFirstOperator.bind(auth), request, { deadlineMs: 20_000 });
  } finally {
    auth.close();
  }
  return password;
}
