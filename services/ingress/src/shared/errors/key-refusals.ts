import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import type { KeyRefusalReason } from '../../edge/authenticate/result.ts';

/** Why a key is refused, for clients: in error responses and in the close frames of WebSockets, which hold 123 bytes. */
export const KEY_MESSAGES: Record<KeyRefusalReason, string> = {
  malformed: 'The API key is not valid: it is mistyped, incomplete or not a key of this service.',
  unknown: 'The API key is not valid.',
  deleted: 'The API key has been deleted. Create a new one.',
  expired: 'The API key has expired. Create a new one.',
  account_suspended: "The API key's account is suspended.",
};

/** What is recorded as a refusal of the account; undefined where the account is unknown. */
export const KEY_REASONS: Record<KeyRefusalReason, RefusalReason | undefined> = {
  malformed: undefined,
  unknown: undefined,
  deleted: 'key_deleted',
  expired: 'key_expired',
  account_suspended: 'account_suspended',
};
