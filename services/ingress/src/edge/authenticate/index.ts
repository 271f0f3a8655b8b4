export { KeyAuthenticator, type KeyAuthenticatorOptions } from './key-authenticator.ts';
export { type PresentedKey, presentedKey } from './presented-key.ts';
export type { AuthenticationResult, KeyOwner, KeyRefusalReason } from './result.ts';
export { RevocationWatch, type RevocationWatchOptions } from './revocation-watch.ts';
