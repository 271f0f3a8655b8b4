import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, stopListening } from '@tollgate/common/http-server';
import { Provider } from 'oidc-provider';

export const OIDC_CLIENT = { id: 'console', secret: 'secret of the console' };

/** A person at the provider. */
export interface ProviderPerson {
  subject: string;
  email: string;
  emailVerified: boolean;
  name: string;
}

export interface RunningProvider {
  /** Signs in this person without asking; undefined: the browser chooses on a page. */
  signInAs: (subject: string | undefined) => void;
  stop: () => Promise<void>;
}

/**
 * Runs a real OpenID Connect provider on loopback, with fixed people.
 *
 * @param redirectUri of its one client
 */
export async function runOidcProvider(
  port: number,
  redirectUri: string,
  people: readonly ProviderPerson[],
): Promise<RunningProvider> {
  const issuer = `http://localhost:${port}`;
  let automatic: string | undefined;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: OIDC_CLIENT.id,
        client_secret: OIDC_CLIENT.secret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    cookies: { keys: ['a key of a test'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    findAccount: (_ctx, subject) => {
      const person = people.find((each) => each.subject === subject);
      if (person === undefined) return undefined;
      const { email, emailVerified, name } = person;
      return { accountId: subject, claims: () => ({ sub: subject, email, email_verified: emailVerified, name }) };
    },
    // People have agreed to whatever the console asks for.
    loadExistingGrant: async ({ oidc }) => {
      const { client, session, params } = oidc;
      if (client === undefined || session?.accountId === undefined) return undefined;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope(String(params?.['scope'] ?? ''));
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  const interact = async (req: IncomingMessage, res: ServerResponse) => {
    const url = new URL(req.url ?? '/', issuer);
    const accountId = automatic ?? url.searchParams.get('as');
    if (accountId !== null) {
      await provider.interactionFinished(req, res, { login: { accountId, remember: false } });
      return;
    }
    const links = people.map(({ subject, name }) => `<p><a href="${url.pathname}?as=${subject}">${name}</a></p>`);
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end(`<!doctype html><html lang="en"><title>Sign in</title><h1>Sign in as</h1>${links.join('')}</html>`);
  };
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/interaction/'))
      interact(req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
    else handle(req, res);
  });
  await listen(server, '127.0.0.1', port);
  return {
    signInAs: (subject) => {
      automatic = subject;
    },
    stop: () => stopListening(server, { lingerMs: 0, graceMs: 500 }),
  };
}
