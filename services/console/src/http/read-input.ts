import type { z } from 'zod';
import { apiErrors } from './api-error.ts';

/** Validates a part of a request by its schema. */
export function readInput<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw toApiError(result.error.issues);
}

/** The error of the first problem. */
function toApiError(issues: readonly z.core.$ZodIssue[]) {
  const [issue] = issues;
  if (issue === undefined) return apiErrors.internal('a failed validation reports no problem');
  if (issue.code === 'unrecognized_keys')
    return apiErrors.invalid(fieldOf([...issue.path, issue.keys[0] ?? '']), 'unknown');
  // Issues do not hold the input, which may be secret.
  if (issue.code === 'invalid_type' && issue.message.endsWith(' received undefined'))
    return apiErrors.invalid(fieldOf(issue.path), 'required');
  return apiErrors.invalid(fieldOf(issue.path), problemOf(issue));
}

/** What texts must be, by format. */
const FORMATS: Readonly<Record<string, string>> = {
  datetime: 'must be a time such as 2026-01-31T00:00:00Z',
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
};

/** What is wrong with a value. Schemas with a message of their own keep it. */
function problemOf(issue: z.core.$ZodIssue): string {
  const { message } = issue;
  if (issue.code === 'invalid_value' && message.startsWith('Invalid '))
    return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
  if (issue.code === 'too_small' && message.startsWith('Too small'))
    return `must ${atLeast(issue.origin, Number(issue.minimum))}`;
  if (issue.code === 'too_big' && message.startsWith('Too big'))
    return `must ${sized('at most', issue.origin, Number(issue.maximum))}`;
  if (issue.code === 'invalid_format' && message.startsWith('Invalid ')) return FORMATS[issue.format] ?? message;
  return message.replace(/^Invalid input: /, '');
}

function atLeast(origin: string, minimum: number): string {
  const isEmptyRefused = minimum === 1 && (origin === 'string' || origin === 'array');
  return isEmptyRefused ? 'not be empty' : sized('at least', origin, minimum);
}

/** A bound of a length or of a number: `have at most 100 characters`, `be at most 100`. */
function sized(bound: string, origin: string, count: number): string {
  if (origin === 'string') return `have ${bound} ${count} character${count === 1 ? '' : 's'}`;
  if (origin === 'array' || origin === 'record') return `have ${bound} ${count} item${count === 1 ? '' : 's'}`;
  return `be ${bound} ${count}`;
}

/** Writes a path as clients do: `messages[0].content`. */
function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'body' : text.replace(/^\./, '');
}
