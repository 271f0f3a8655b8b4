import { RpcError } from '../errors.ts';
import { isUuid } from '../ids.ts';

/** A UUID argument, in lower case. */
export function uuidArgument(name: string, value: string): string {
  if (!isUuid(value)) throw new RpcError('invalid_argument', `${name}: must be a UUID`);
  return value.toLowerCase();
}

/** A UUID argument; undefined for an empty text. */
export function optionalUuidArgument(name: string, value: string): string | undefined {
  return value === '' ? undefined : uuidArgument(name, value);
}

/** A text argument of 1 to `maxLength` characters. */
export function textArgument(name: string, value: string, maxLength: number): string {
  if (value.length < 1 || value.length > maxLength) {
    throw new RpcError('invalid_argument', `${name}: must have 1 to ${maxLength} characters`);
  }
  if (value.includes('\0')) throw new RpcError('invalid_argument', `${name}: must not contain a NUL character`);
  return value;
}

/** As textArgument; undefined for an empty text. */
export function optionalTextArgument(name: string, value: string, maxLength: number): string | undefined {
  return value === '' ? undefined : textArgument(name, value, maxLength);
}
