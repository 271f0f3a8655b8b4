import type { Api } from '../src/api/index.ts';
import { ApiClient } from './api-client.ts';

/** A browser with the cookies that a response sets. */
export function browserOf(url: string, { headers }: { headers: Headers }): ApiClient {
  const cookies = headers.getSetCookie().map((each) => each.split(';')[0]);
  return new ApiClient(url, { cookie: cookies.join('; ') });
}

/** Somebody who has signed in. */
export interface Joined {
  browser: ApiClient;
  /** With the account that they have joined. */
  session: NonNullable<Api['POST /invitations/accept']['response']>;
}

/** A new person accepts an invitation whose link was shown: they set a password, sign in with it and accept. */
export async function joinByShownLink(
  url: string,
  { secret, password, name = 'Ana' }: { secret: string; password: string; name?: string },
): Promise<Joined> {
  const anyone = new ApiClient(url, undefined);
  const { email } = await anyone.ok('POST /invitations/find', { body: { secret } });
  await anyone.ok('POST /invitations/accept', { body: { secret, name, password } });
  const signedIn = await anyone.call('POST /session', { body: { email, password } });
  const browser = browserOf(url, signedIn);
  const session = await browser.ok('POST /invitations/accept', { body: { secret } });
  if (session === null) throw new Error('the invitation was not accepted');
  return { browser, session };
}
