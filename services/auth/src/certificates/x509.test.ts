import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { grpcTls } from '@tollgate/common/grpc/tls';
import { getRoutes, startRoutesServer } from '@tollgate/common/testing/routes-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuthority, issueCertificate, type KeyPair, keyPem, readKeyPair, renewAuthority } from './x509.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const forDays = (days: number) => ({ from: new Date(NOW - 1_000), to: new Date(NOW + days * DAY_MS) });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-x509-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8' });

it('is read by openssl as what it is', async () => {
  const authority = await createAuthority('tollgate authority', forDays(30));
  const { certificate } = await issueCertificate(
    authority,
    ['tollgate-auth', 'tollgate-auth.gateway.svc'],
    forDays(20),
  );
  const [ca, own] = [write('ca.pem', authority.certificate.toString()), write('own.pem', certificate.toString())];
  expect(openssl('verify', '-purpose', 'sslserver', '-CAfile', ca, own)).toContain('own.pem: OK');
  expect(openssl('verify', '-purpose', 'sslclient', '-CAfile', ca, own)).toContain('own.pem: OK');
  const text = openssl('x509', '-in', own, '-noout', '-text');
  for (const part of [
    'Version: 3 (0x2)',
    'Issuer: CN = tollgate authority',
    'Subject: CN = tollgate-auth',
    'CA:FALSE',
    'Digital Signature',
    'TLS Web Server Authentication, TLS Web Client Authentication',
    'DNS:tollgate-auth, DNS:tollgate-auth.gateway.svc',
  ])
    expect(text).toContain(part);
  expect(openssl('x509', '-in', ca, '-noout', '-text')).toMatch(/CA:TRUE[\s\S]*Certificate Sign, CRL Sign/);
});

it('writes times to the second, on both sides of the year in which their form changes', async () => {
  for (const end of ['2049-12-31T23:59:59', '2050-01-01T00:00:00', '2120-06-07T08:09:10']) {
    const { certificate } = await createAuthority('a', { from: new Date(NOW), to: new Date(`${end}.400Z`) });
    const dates = openssl(
      'x509',
      '-in',
      write('a.pem', certificate.toString()),
      '-noout',
      '-dates',
      '-dateopt',
      'iso_8601',
    );
    expect(dates).toContain(`notAfter=${end.replace('T', ' ')}Z`);
  }
});

it.each([
  ['EC of 384 bits', generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey],
  ['EC of 521 bits', generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey],
  ['RSA', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
])('signs with a key of %s that an operator brings, also many names', async (_, key) => {
  const authority = await createAuthority('of the operator', forDays(30), key);
  const names = Array.from({ length: 40 }, (__, index) => `service-${index}.gateway.svc.cluster.local`);
  const { certificate } = await issueCertificate(authority, names, forDays(20));
  const [ca, own] = [write('ca.pem', authority.certificate.toString()), write('own.pem', certificate.toString())];
  expect(openssl('verify', '-CAfile', ca, own)).toContain('OK');
  expect(certificate.checkHost('service-39.gateway.svc.cluster.local')).toBeDefined();
});

it.each([
  ['ed25519', generateKeyPairSync('ed25519').privateKey],
  ['secp256k1', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey],
])('rejects a key of another type: %s', async (type, key) => {
  await expect(createAuthority('a', forDays(1), key)).rejects.toThrow(
    `the authority's key must be RSA or EC (P-256, P-384 or P-521), not ${type}`,
  );
});

it('rejects a key that does not match the certificate', async () => {
  const [one, other] = [await createAuthority('a', forDays(1)), await createAuthority('b', forDays(1))];
  expect(() => readKeyPair(one.certificate.toString(), keyPem(other.key))).toThrow('does not match the certificate');
});

it('lets services talk whose authority was renewed for one of them alone', async () => {
  const authority = await createAuthority('tollgate authority', forDays(30));
  const renewed = await renewAuthority(authority, forDays(90));
  const filesOf = (name: string, pair: KeyPair, ca: KeyPair) => ({
    GRPC_TLS_CERT_FILE: write(`${name}.crt`, pair.certificate.toString()),
    GRPC_TLS_KEY_FILE: write(`${name}.key`, keyPem(pair.key)),
    GRPC_TLS_CA_FILE: write(`${name}-ca.crt`, ca.certificate.toString()),
  });
  const own = filesOf('server', await issueCertificate(authority, ['localhost'], forDays(20)), authority);
  const server = await startRoutesServer({ tls: grpcTls(own) });
  const tls = grpcTls(filesOf('console', await issueCertificate(renewed, ['console'], forDays(20)), renewed));
  await expect(getRoutes(`localhost:${server.port}`, tls)).resolves.toBeDefined();
  await server.stop(1_000);
});
