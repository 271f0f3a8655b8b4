import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FirstOperator } from './services.ts';

/** The first operator of a data folder; their password is made at the first start. */
export function ensureFirstOperator(data: string): FirstOperator {
  const file = join(data, 'operator-password');
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(12).toString('base64url')}\n`, { mode: 0o600 });
  return { email: 'operator@example.com', password: readFileSync(file, 'utf8').trim() };
}
