import { type ServiceError as GrpcError, Metadata, status } from '@grpc/grpc-js';

/** Why a call between services fails, with the gRPC status of each. */
const STATUS_OF = {
  invalid_argument: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  aborted: status.ABORTED,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  unavailable: status.UNAVAILABLE,
  internal: status.INTERNAL,
} as const;

export type RpcErrorCode = keyof typeof STATUS_OF;

/** An error that the caller of an RPC gets. Its message goes over the wire and must hold nothing secret. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcErrorCode;

  constructor(code: RpcErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The status a gRPC client gets for an error: an RpcError as it is, anything else as INTERNAL without its message. */
export function toGrpcStatus(error: unknown): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  if (error instanceof RpcError) return { code: STATUS_OF[error.code], details: error.message, metadata };
  return { code: status.INTERNAL, details: 'internal error', metadata };
}

/** Whether an error came from a gRPC call, with its status code. */
export function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** Whether a call between services failed for that reason. */
export function failedWith(error: unknown, code: RpcErrorCode): boolean {
  return isGrpcError(error) && error.code === STATUS_OF[code];
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
