import { type ServiceError as GrpcError, Metadata, status } from '@grpc/grpc-js';

/** The closed list of ways a call between services is refused, each with its gRPC status. */
const STATUS_OF = {
  invalid_argument: status.INVALID_ARGUMENT,
  not_found: status.NOT_FOUND,
  already_exists: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  resource_exhausted: status.RESOURCE_EXHAUSTED,
  aborted: status.ABORTED,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  unavailable: status.UNAVAILABLE,
  internal: status.INTERNAL,
} as const;

export type RefusalCode = keyof typeof STATUS_OF;

/** A refusal that the caller is told about. Its message goes over the wire and must hold nothing secret. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** What a gRPC client is sent for an error: a Refusal as it is, anything else as INTERNAL without its message. */
export function toGrpcStatus(error: unknown): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  if (error instanceof Refusal) return { code: STATUS_OF[error.code], details: error.message, metadata };
  return { code: status.INTERNAL, details: 'internal error', metadata };
}

/** Whether an error came from a gRPC call, with its status code. */
export function isGrpcError(error: unknown): error is GrpcError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** The text of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
