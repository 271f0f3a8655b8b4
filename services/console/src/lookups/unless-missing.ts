import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';

/** Undefined for NOT_FOUND. */
export async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isGrpcError(error) && error.code === status.NOT_FOUND) return undefined;
    throw error;
  }
}
