import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { pipeline } from 'node:stream';
import { createServer } from 'node:tls';
import { textAt } from '@tollgate/test-support/gateway/json';
import type { Certificate } from '@tollgate/test-support/stores/certificate';
import { forward } from './forward.ts';
import type { Release } from './release.ts';

const DAY_MS = 86_400_000;

/** The console of a release at `console.url`: what a cluster's own way in does, which ends TLS. */
export interface HttpsConsole {
  /** A new management key of the first operator of an evaluation. */
  managementKey: () => Promise<string>;
  stop: () => void;
}

export async function serveHttps(release: Release, url: URL, certificate: Certificate): Promise<HttpsConsole> {
  const { port, address, stop } = await forward(release.namespace, `service/${release.named('console')}`, 80);
  const [key, cert] = [certificate.key, certificate.cert].map((file) => readFileSync(file));
  const server = createServer({ key, cert }, (client) => {
    pipeline(client, connect(port, '127.0.0.1'), client, () => undefined);
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject).listen(Number(url.port), '127.0.0.1', resolve);
  });
  const post = async (path: string, body: object, cookie = '') => {
    const headers = { 'content-type': 'application/json', origin: url.origin, cookie };
    const response = await fetch(`http://${address}/api${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  return {
    managementKey: async () => {
      const password = await release.secret(release.named('evaluation'), 'operator-password');
      const { headers } = await post('/session', { email: 'operator@example.com', password });
      const [cookie] = headers.getSetCookie().map((each) => each.slice(0, each.indexOf(';')));
      const expires_at = new Date(Date.now() + DAY_MS).toISOString();
      const made = await post('/operator/management-keys', { name: 'a laptop', expires_at }, cookie);
      return textAt(await made.json(), 'secret');
    },
    stop: () => {
      server.close();
      stop();
    },
  };
}
