import { z } from 'zod';
import { badParameter, type StripeFailure } from './failure.ts';
import type { Form } from './form.ts';

/** Limits of metadata, as Stripe documents them. */
const MAX_METADATA = { keys: 50, name: 40, value: 500 };

/** A text; empty ones stand for none. */
export const text = (max = 5_000) => z.string().max(max);

export const integer = z
  .string()
  .regex(/^-?\d{1,15}$/)
  .transform(Number);

export const boolean = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

export const currency = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((value) => value.toLowerCase());

/** Metadata; the empty text removes all. */
export const metadata = z.union([
  z.literal('').transform((): Record<string, string> => ({})),
  z
    .record(z.string().max(MAX_METADATA.name), z.string().max(MAX_METADATA.value))
    .refine((values) => Object.keys(values).length <= MAX_METADATA.keys),
]);

/** Parameters of every call. */
export const common = { expand: z.array(z.string().max(200)).max(20).optional() };

/** Parameters of every list. */
export const paging = {
  ...common,
  limit: integer.refine((value) => value >= 1 && value <= 100).default(10),
  starting_after: text(255).optional(),
  ending_before: text(255).optional(),
};

/** A time in seconds, or a range of times. */
export const created = z
  .union([
    integer.transform((at) => ({ gte: at, lte: at })),
    z.strictObject({
      gt: integer.optional(),
      gte: integer.optional(),
      lt: integer.optional(),
      lte: integer.optional(),
    }),
  ])
  .optional();

/** Checks the parameters of a call. @throws StripeFailure that names the first one at fault */
export function readParams<T>(schema: z.ZodType<T>, form: Form): T {
  const result = schema.safeParse(form);
  if (result.success) return result.data;
  const [issue] = result.error.issues.map(deepest);
  throw issue === undefined ? badParameter('', 'Invalid request.') : failureOf(issue, form);
}

/** The issue inside a union that is about what was sent: a group or a list, not a text. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue;
  const inner = issue.errors.flat().find((one) => one.path.length > 0 || one.code === 'unrecognized_keys');
  return inner === undefined ? issue : deepest({ ...inner, path: [...issue.path, ...inner.path] });
}

function failureOf(issue: z.core.$ZodIssue, form: Form): StripeFailure {
  if (issue.code === 'unrecognized_keys') {
    const param = nameOf([...issue.path, issue.keys[0] ?? '']);
    return badParameter(param, `Received unknown parameter: ${param}`, 'parameter_unknown');
  }
  const param = nameOf(issue.path);
  const sent = issue.path.reduce<unknown>(
    (value, part) => (isObject(value) ? Reflect.get(value, part) : undefined),
    form,
  );
  if (sent === undefined) return badParameter(param, `Missing required param: ${param}.`, 'parameter_missing');
  if (sent === '') {
    return badParameter(
      param,
      `You passed an empty string for '${param}'. We assume empty values are an attempt to unset a parameter; however '${param}' cannot be unset.`,
      'parameter_invalid_empty',
    );
  }
  if (issue.code === 'invalid_type') return badParameter(param, `Invalid ${issue.expected}: ${param}`);
  if (issue.code === 'invalid_value') {
    return badParameter(param, `Invalid ${param}: must be one of ${issue.values.map(String).join(', ')}`);
  }
  if (issue.code === 'too_big') return badParameter(param, `Invalid value for ${param}: it is too long.`);
  if (issue.code === 'invalid_format' && issue.pattern === '/^-?\\d{1,15}$/') {
    return badParameter(param, `Invalid integer: ${String(sent).slice(0, 100)}`, 'parameter_invalid_integer');
  }
  return badParameter(param, `Invalid value for ${param}.`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** `['line_items', 0, 'quantity']` as `line_items[0][quantity]`. */
function nameOf(path: readonly PropertyKey[]): string {
  const [first = '', ...rest] = path.map(String);
  return first + rest.map((part) => `[${part}]`).join('');
}
