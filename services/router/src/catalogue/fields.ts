import { z } from 'zod';
import { parseMultiplier, parseRate } from './rate.ts';

/** Ids of models, deployments and providers. Models of many providers have slashes and colons in their names. */
export const modelId = z
  .string()
  .max(200)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/,
    'must be letters, digits and . _ : / @ + -, beginning with a letter or digit',
  );

export const plainId = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits and . _ -, beginning with a letter or digit');

/** Dollars per million tokens, as a decimal text or number; read as nano-dollars without rounding. */
export const rate = z
  .union([z.string(), z.number()], { error: 'must be dollars per million, such as "2.50"' })
  .transform((value, context) => {
    const parsed = parseRate(String(value));
    if (parsed.ok) return parsed.nanosPerMillion;
    context.issues.push({ code: 'custom', message: parsed.message, input: value });
    return z.NEVER;
  })
  .describe('US dollars per million tokens, at most nine decimals');

/** A factor as a decimal text or number; read as parts per million without rounding. */
export const multiplier = z
  .union([z.string(), z.number()], { error: 'must be a factor, such as "1.1"' })
  .transform((value, context) => {
    const parsed = parseMultiplier(String(value));
    if (parsed.ok) return parsed.ppm;
    context.issues.push({ code: 'custom', message: parsed.message, input: value });
    return z.NEVER;
  })
  .describe('A factor, at most six decimals');

/** A value of a request's option, in lower case. */
export const optionValue = z
  .string()
  .max(50)
  .regex(/^[a-z0-9][a-z0-9_.-]*$/, 'must be lower-case letters, digits and . _ -, beginning with a letter or digit');

/** Where a credential is read from. The catalogue never contains one. */
export const credentialReference = z
  .strictObject({
    env: z
      .string()
      .max(200)
      .regex(/^[A-Za-z_][A-Za-z0-9_]*_(KEY|TOKEN|SECRET)$/, 'must name a variable that ends in _KEY, _TOKEN or _SECRET')
      .optional()
      .describe('Name of an environment variable of the ingress'),
    file: z
      .string()
      .max(1_000)
      .regex(/^\/[^\0]*$/, 'must be an absolute path')
      .optional()
      .describe('Absolute path of a file that the ingress can read'),
  })
  .refine((value) => (value.env === undefined) !== (value.file === undefined), 'must have either env or file');

/** Unix seconds, or a date such as 2024-05-13 (its midnight in UTC). */
export const created = z
  .union([z.int().min(0).max(4_102_444_800), z.iso.date()], {
    error: 'must be a date such as 2024-05-13 or Unix seconds',
  })
  .transform((value) => (typeof value === 'number' ? value : Date.parse(`${value}T00:00:00Z`) / 1_000));

/** A time in RFC 3339 with its offset from UTC; read as Unix milliseconds. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be a time with its offset, such as 2026-12-01T00:00:00Z' })
  .transform((text) => Date.parse(text));

/** A number of tokens. */
export const tokenCount = z.int().min(0).max(1_000_000_000);

/** A limit per minute. */
export const perMinute = z.int().min(1).max(1_000_000_000);

/** A time limit of calls to a provider. */
export const timeoutMs = z.int().min(1).max(3_600_000);

const CREDENTIAL_HEADER = /authorization|api-?key|token|secret|password|cookie|credential/i;

/** A header's name. Headers for credentials are rejected: credentials belong into api_key. */
export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'must be a header name')
  .refine((name) => !CREDENTIAL_HEADER.test(name), 'carries a credential: use api_key');

export const headerValue = z
  .string()
  .max(1_000)
  .regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII');
