import { isMemberRole, type MemberRole, type RoleName, roleName } from '@tollgate/common/actors/roles';
import { RpcError } from '@tollgate/common/errors';
import type { Identity, Role } from '@tollgate/proto/auth';
import { plainTextArgument } from './arguments.ts';

const MAX_EMAIL = 254;
/** Plainly: something before and after one @, in ASCII, so that upper and lower case are the same everywhere. */
const EMAIL = /^[!-?A-~]+@[!-?A-~]+$/;
/** https://github.com/P-H-C/phc-string-format */
const ARGON2ID = /^\$argon2id\$v=19\$m=\d{1,8},t=\d{1,3},p=\d{1,3}\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,172}$/;
const MAX_DETAILS = 10;
const MAX_DETAIL = 200;
/** Clocks of callers may be ahead by this much. */
const CLOCK_DIFFERENCE_MS = 60_000;

/** An e-mail address, in lower case. */
export function emailArgument(field: string, value: string): string {
  if (value.length > MAX_EMAIL || !EMAIL.test(value)) {
    throw new RpcError('invalid_argument', `${field}: must be an e-mail address of at most ${MAX_EMAIL} characters`);
  }
  return value.toLowerCase();
}

/** The hash of a password. */
export function passwordHashArgument(field: string, value: string): string {
  if (!ARGON2ID.test(value)) throw new RpcError('invalid_argument', `${field}: must be a PHC string of argon2id`);
  return value;
}

/** A role of a member. */
export function memberRoleArgument(field: string, value: Role): MemberRole {
  const role = roleName(value);
  if (role === undefined || !isMemberRole(role)) {
    throw new RpcError('invalid_argument', `${field}: must be owner, admin, developer or billing`);
  }
  return role;
}

/** The role of an invitation or management key: of a member in an account, otherwise of an operator. */
export function roleArgument(field: string, value: Role, accountId: string | undefined): RoleName {
  if (accountId !== undefined) return memberRoleArgument(field, value);
  if (roleName(value) === 'operator') return 'operator';
  throw new RpcError('invalid_argument', `${field}: must be operator without account_id`);
}

/** A time in the future, at most `maxMs` from now, in Unix milliseconds. */
export function expiryArgument(
  field: string,
  valueMs: bigint,
  { maxDays, nowMs }: { maxDays: number; nowMs: number },
): Date {
  const latest = nowMs + maxDays * 86_400_000 + CLOCK_DIFFERENCE_MS;
  if (valueMs <= BigInt(nowMs) || valueMs > BigInt(Math.floor(latest))) {
    throw new RpcError('invalid_argument', `${field}: must be in the future, at most ${maxDays} days`);
  }
  return new Date(Number(valueMs));
}

/** Details of an audit entry. Their values come from clients and are shortened. */
export function auditDetailsArgument(
  field: string,
  details: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const entries = Object.entries(details);
  if (entries.length > MAX_DETAILS) throw new RpcError('invalid_argument', `${field}: at most ${MAX_DETAILS}`);
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(0, 50), value.slice(0, MAX_DETAIL)]));
}

/** An identity of OpenID Connect. */
export function identityArgument(field: string, value: Identity | undefined): Identity {
  return {
    issuer: plainTextArgument(`${field}.issuer`, value?.issuer ?? '', 500),
    subject: plainTextArgument(`${field}.subject`, value?.subject ?? '', 255),
  };
}
