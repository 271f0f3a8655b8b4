import type { Response } from 'express';

/** Why a sign-in failed, as the sign-in page explains it. */
export type OidcFailure = 'not_allowed' | 'unavailable' | 'expired' | 'failed' | 'too_many_requests';

/**
 * Leads to an address of the console.
 *
 * @param address begins with `/`; appended to the console's origin, so that it cannot name another host
 */
export function redirectTo(response: Response, consoleUrl: string, address: string): void {
  response.redirect(303, `${consoleUrl}${address}`);
}

/** Leads to the sign-in page, which says why and leads on to `next`. */
export function redirectToSignIn(response: Response, consoleUrl: string, error: OidcFailure, next: string): void {
  const query = new URLSearchParams({ error, ...(next === '/' ? {} : { next }) });
  redirectTo(response, consoleUrl, `/sign-in?${query}`);
}
