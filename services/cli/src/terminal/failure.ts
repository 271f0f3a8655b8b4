import { type ServiceError, status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';

/** A command that failed. The message is one line for the user. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** A wrong use of a command, such as options that exclude each other. */
export class UsageFailure extends Error {
  override readonly name = 'UsageFailure';
}

/** Describes a failed call of a service in one line. Other errors are returned as they are. */
export function toCommandFailure(error: unknown, service: string, address: string): unknown {
  if (!isGrpcError(error)) return error;
  return new CommandFailure(describe(error, service, address), { cause: error });
}

function describe(error: ServiceError, service: string, address: string): string {
  switch (error.code) {
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      return `the ${service} service at ${address} did not respond: ${error.details}`;
    case status.UNIMPLEMENTED:
      return `the server at ${address} is not a ${service} service of this version`;
    case status.INTERNAL:
    case status.UNKNOWN:
      return `the ${service} service at ${address} failed: ${error.details}`;
    default:
      return error.details;
  }
}
