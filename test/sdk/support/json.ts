import { at } from '@tollgate/test-support/gateway/json';

export { at };

/** The text at a path, or none. */
export function textOr(value: unknown, ...path: (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The number at a path, or 0. */
export function countAt(value: unknown, ...path: (string | number)[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
}

/** The number at a path, or null. */
export function numberAt(value: unknown, ...path: (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : null;
}

/** The list at a path, or an empty one. */
export function listOr(value: unknown, ...path: (string | number)[]): unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
