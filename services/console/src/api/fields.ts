import { MEMBER_ROLES, ROLE_NAMES } from '@tollgate/common/actors/roles';
import { VIA } from '@tollgate/common/actors/token';
import { z } from 'zod';

/** Fields that several operations share. */

/** An exact amount of US dollars, such as `84.12` or `-0.000412500`. */
export const money = z.string().regex(/^-?\d{1,10}(\.\d{1,9})?$/, 'must be a decimal amount with at most 9 decimals');
export const id = z.uuid();
/** RFC 3339, in UTC in responses. */
export const time = z.iso.datetime({ offset: true });
/** Percent of the list price, such as `12.5`. */
export const percent = z.string().regex(/^\d{1,3}(\.\d{1,4})?$/, 'must be a percentage with at most 4 decimals');
export const name = z.string().trim().min(1).max(200);
export const email = z.string().trim().toLowerCase().max(254).pipe(z.email());
/** Length is what counts: https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver */
export const password = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(1_000)
  .refine((text) => !email.safeParse(text).success, 'must not be an e-mail address');
export const role = z.enum(ROLE_NAMES);
export const memberRole = z.enum(MEMBER_ROLES);
/** Of a link that was sent or shown once. */
export const secret = z.string().min(20).max(200);
/** SHA-256 in hex. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
/** Continues a list after the previous page. */
export const cursor = z.string().max(500);
export const nextCursor = cursor.nullable();
export const limit = z.coerce.number().int().min(1).max(200);

export const accountPath = z.strictObject({ account_id: id });

/** A time range: `start` inclusive, `end` exclusive. */
export const range = { start: time, end: time };

export const limits = z.object({
  requests_per_minute: z.int().min(1).max(1_000_000_000).nullable(),
  tokens_per_minute: z.int().min(1).max(1_000_000_000).nullable(),
  open_requests: z.int().min(1).max(1_000_000).nullable(),
});

export const caps = z.object({ day: money.nullable(), month: money.nullable(), total: money.nullable() });

export const tags = z.record(z.string().max(64), z.string().max(256));

export const balance = z.object({
  /** What can be spent: without what open requests hold. */
  available: money,
  held: money,
  /** Debt that the next top-up pays first. */
  owed: money,
  /** Requests are refused because the account owes money. */
  suspended: z.boolean(),
});

export const actor = z.object({
  id: z.string(),
  name: z.string(),
  /** Null: a person who changed only themselves. */
  role: role.nullable(),
  via: z.enum(VIA),
});

/** The error of every response with a status of 400 or more. */
export const errorBody = z.object({
  error: z.object({
    code: z.enum([
      'invalid_request',
      'not_signed_in',
      'not_allowed',
      'not_found',
      'conflict',
      'too_many_requests',
      'unavailable',
      'internal_error',
    ]),
    message: z.string(),
    /** The field at fault, such as `limits.open_requests`. */
    field: z.string().nullable(),
  }),
});
