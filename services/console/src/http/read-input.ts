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
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return apiErrors.invalid(fieldOf(issue.path), 'required');
  return apiErrors.invalid(fieldOf(issue.path), problemOf(issue));
}

function problemOf(issue: z.core.$ZodIssue): string {
  return issue.message.replace(/^Invalid input: /, '').replace(/^Too (?=big|small)/, 'too ');
}

/** Writes a path as clients do: `messages[0].content`. */
function fieldOf(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'body' : text.replace(/^\./, '');
}
