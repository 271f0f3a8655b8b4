import type { JsonRecord } from './json/record.ts';

/** An error as the contract has it. */
export interface ClientError {
  readonly message: string;
  readonly type: string;
  /** The HTTP status, which a response already begun cannot have any more. */
  readonly code: number;
  readonly details: JsonRecord | null;
}
