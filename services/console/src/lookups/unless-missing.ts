import { failedWith } from '@tollgate/common/errors';

/** Undefined for NOT_FOUND. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (failedWith(error, 'not_found')) return undefined;
    throw error;
  }
}
