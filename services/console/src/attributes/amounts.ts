import { parseDollars } from '@tollgate/common/money';
import { apiErrors } from '../http/api-error.ts';

/**
 * Reads an amount of a request.
 *
 * @param field its name, for errors
 */
export function readAmount(text: string, field: string): bigint {
  const nanos = parseDollars(text);
  if (nanos !== undefined) return nanos;
  throw apiErrors.invalid(field, 'must be a decimal amount with at most 9 digits before and 9 after the point');
}
