import { z } from 'zod';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { fetchText, USER_AGENT } from './client.ts';
import { jsonIn } from './read-body.ts';

const TIMEOUT_MS = 20_000;
const CLIENT_ID = 'tollgate-cli';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code';
/** As RFC 8628 says. */
const LONGER_S = 5;

const begunSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number(),
  interval: z.number().min(1).max(60),
});
const tokenSchema = z.object({ access_token: z.string() });
const errorSchema = z.object({ error: z.string(), error_description: z.string() });

/** Signs a person in with their browser: https://www.rfc-editor.org/rfc/rfc8628. @returns the token of their session */
export async function signInByBrowser(io: Io, url: string): Promise<string> {
  const begun = begunSchema.parse(await post(url, 'device_authorization', { client_id: CLIENT_ID }));
  io.stderr(`Open ${begun.verification_uri_complete}\nand confirm the code ${begun.user_code} there.\n`);
  const form = { client_id: CLIENT_ID, grant_type: GRANT_TYPE, device_code: begun.device_code };
  const endMs = io.now() + begun.expires_in * 1_000;
  for (let intervalS = begun.interval; io.now() < endMs; ) {
    await io.delay(intervalS * 1_000);
    try {
      return tokenSchema.parse(await post(url, 'token', form)).access_token;
    } catch (error) {
      const code = error instanceof OAuthFailure ? error.code : undefined;
      if (code === 'slow_down') intervalS += LONGER_S;
      else if (code !== 'authorization_pending') throw error;
    }
  }
  throw new CommandFailure('nobody has confirmed the code in time');
}

class OAuthFailure extends CommandFailure {
  readonly code: string;

  constructor({ error, error_description: description }: z.output<typeof errorSchema>) {
    super(description);
    this.code = error;
  }
}

async function post(url: string, endpoint: string, form: Record<string, string>): Promise<unknown> {
  const { response, text } = await fetchText(new URL(`${url}/oauth/${endpoint}`), {
    method: 'POST',
    headers: { 'user-agent': USER_AGENT },
    body: new URLSearchParams(form),
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const json = jsonIn(text);
  if (response.ok) return json;
  const { data } = errorSchema.safeParse(json);
  if (data !== undefined) throw new OAuthFailure(data);
  throw new CommandFailure(`${url} signs nobody in by a browser: it responds with ${response.status}`);
}
