import { MEMBER_ROLES, ROLE_NAMES } from '@tollgate/common/actors/roles';
import { lowerCaseAscii } from '@tollgate/common/ascii';
import { z } from 'zod';
import { isTimeZone, RECENT_RANGES, type RecentRange } from '../paging/recent-ranges.ts';

/** Fields that several operations share. */

export const money = z
  .string()
  .regex(/^-?\d{1,10}(\.\d{1,9})?$/, 'must be a decimal amount with at most 9 decimals')
  .describe('An exact amount of US dollars, such as `84.12` or `-0.000412500`.');
export const id = z.uuid();
export const time = z.iso.datetime({ offset: true }).describe('RFC 3339, in UTC in responses.');
export const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,4})?$/, 'must be a percentage with at most 4 decimals')
  .describe('Percent of the list price, such as `12.5`.');
export const name = z.string().trim().min(1).max(200);
export const searchText = z.string().trim().min(1).max(200);
export const email = z.string().trim().overwrite(lowerCaseAscii).max(254).pipe(z.email()).meta({ format: 'email' });
/** Length is what counts: https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver */
export const password = z
  .string()
  .min(12, 'must have at least 12 characters')
  .max(1_000)
  .refine((text) => !email.safeParse(text).success, 'must not be an e-mail address');
export const role = z.enum(ROLE_NAMES);
export const memberRole = z.enum(MEMBER_ROLES);
export const secret = z.string().min(20).max(200).describe('Of a link that was sent or shown once.');
export const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
  .describe('SHA-256 in lower-case hex.');
export const cursor = z.string().max(500).describe('`next_cursor` of the previous page.');
export const nextCursor = z
  .string()
  .max(500)
  .nullable()
  .describe('`cursor` of the next page; null: this is the last one.');
export const limit = z.coerce.number().int().min(1).max(200).describe('Items of a page.');
export const idempotencyKey = z
  .string()
  .min(1)
  .max(200)
  .describe('A repeated call with the same key changes nothing and returns the first result.');

export const accountPath = z.strictObject({ account_id: id });

/** What a PATCH does with fields that its body lacks. */
export const UNCHANGED = 'Fields that are left out stay as they are.';

/** A time range: from `start` to `end`, or a recent one. */
export const range = {
  range: z
    .enum(Object.keys(RECENT_RANGES) as RecentRange[])
    .optional()
    .describe('A range that ends now, instead of `start` and `end`. Of more than a day: whole days and today.'),
  time_zone: z
    .string()
    .max(100)
    .refine(isTimeZone, 'must be a time zone, such as Europe/Berlin')
    .optional()
    .describe('Of the days of `range`. By default UTC.'),
  start: time.optional().describe('Start of the range, inclusive.'),
  end: time
    .optional()
    .describe('End of the range, exclusive. At most 31 days after `start` for hourly sums, 366 days otherwise.'),
};

/** The range that a response is about. */
export const bounds = z.object({ start: time, end: time.describe('Exclusive.') });

export const tags = z.record(z.string().max(64), z.string().max(256)).describe('Values by name.');

export const balance = z.object({
  available: money.describe('What can be spent: without what open requests hold.'),
  held: money.describe('Set aside for open requests.'),
  owed: money.describe('Debt that the next top-up pays first.'),
  suspended: z.boolean().describe('Requests are refused because the account owes money.'),
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
    field: z.string().nullable().describe('The field at fault, such as `limits.open_requests`.'),
  }),
});
