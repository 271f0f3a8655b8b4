import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeKubernetes } from '../../testing/fake-kubernetes.ts';
import { openSecrets } from '../secrets/kubernetes.ts';
import { ensureCertificates, type Wanted } from './ensure.ts';

const DAY_MS = 86_400_000;
const VALIDITY_DAYS = 90;
const [AUTHORITY, FORMER, AUTH, CONSOLE] = ['authority', 'former-authority', 'auth', 'console'];
const WANTED: Wanted = {
  authority: { secret: AUTHORITY, formerSecret: FORMER, commonName: 'tollgate authority' },
  certificates: [
    { secret: AUTH, dnsNames: ['tollgate-auth', 'tollgate-auth.gateway.svc'] },
    { secret: CONSOLE, dnsNames: ['tollgate-cli', 'tollgate-cli.gateway.svc'] },
  ],
  labels: { 'app.kubernetes.io/instance': 'tollgate' },
};

let kubernetes: FakeKubernetes;
let nowMs: number;
beforeEach(async () => {
  kubernetes = await FakeKubernetes.start('account-token');
  nowMs = Date.now();
});
afterEach(() => kubernetes.stop());

/** Runs as the hook does, so many days later. @returns what was written */
async function run(days = 0, wanted = WANTED): Promise<string[]> {
  kubernetes.writes.length = 0;
  await ensureCertificates({
    secrets: openSecrets({ url: kubernetes.url, token: 'account-token', namespace: 'gateway' }),
    wanted,
    timing: { nowMs: nowMs + days * DAY_MS, validityDays: VALIDITY_DAYS },
    logger: createLogger('test', 'silent'),
  });
  return kubernetes.writes;
}

const certificateOf = (name: string) => new X509Certificate(kubernetes.files(name)['tls.crt'] ?? '');
const snapshot = () => JSON.stringify([...kubernetes.secrets]);

function makeAuthority(subject = '/CN=of the operator'): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-authority-'));
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
  execFileSync('openssl', ['req', ...kind, '-subj', subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const files = { 'tls.crt': readFileSync(cert, 'utf8'), 'tls.key': readFileSync(key, 'utf8') };
  rmSync(folder, { recursive: true });
  return files;
}

it('makes an authority and a certificate for every service where there are none', async () => {
  expect(await run()).toEqual([`POST ${AUTHORITY}`, `POST ${AUTH}`, `POST ${CONSOLE}`]);
  const authority = certificateOf(AUTHORITY);
  expect(authority.ca).toBe(true);
  const auth = certificateOf(AUTH);
  expect(auth.verify(authority.publicKey)).toBe(true);
  expect(auth.subjectAltName).toBe('DNS:tollgate-auth, DNS:tollgate-auth.gateway.svc');
  expect(kubernetes.files(AUTH)['ca.crt']).toBe(authority.toString());
  expect(kubernetes.secrets.get(CONSOLE)).toMatchObject({
    type: 'kubernetes.io/tls',
    metadata: { labels: { 'app.kubernetes.io/instance': 'tollgate' } },
  });
});

it('keeps valid certificates until two thirds of their validity have passed', async () => {
  await run();
  const before = snapshot();
  expect(await run()).toEqual([]);
  expect(await run(59)).toEqual([]);
  expect(snapshot()).toBe(before);
});

it('renews after two thirds of the life, the authority with its own key', async () => {
  await run();
  const [authority, auth] = [certificateOf(AUTHORITY), certificateOf(AUTH)];
  expect(await run(60)).toEqual([`PUT ${AUTHORITY}`, `PUT ${AUTH}`, `PUT ${CONSOLE}`]);
  const [renewedAuthority, renewed] = [certificateOf(AUTHORITY), certificateOf(AUTH)];
  expect(renewed.fingerprint256).not.toBe(auth.fingerprint256);
  expect((Date.parse(renewed.validTo) - nowMs) / DAY_MS).toBeCloseTo(150, 1);
  // What runs with the files of before and what runs with the new ones take each other's certificates.
  for (const [certificate, issuer] of [
    [auth, renewedAuthority],
    [renewed, authority],
  ] as const) {
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
  }
  expect(await run(60)).toEqual([]);
});

it('makes anew what is missing, what lacks a name, and what cannot be read', async () => {
  await run();
  kubernetes.secrets.delete(CONSOLE);
  expect(await run()).toEqual([`POST ${CONSOLE}`]);

  const [auth, cli] = WANTED.certificates;
  if (auth === undefined || cli === undefined) throw new Error('no certificates');
  const more = { ...WANTED, certificates: [{ ...auth, dnsNames: [...auth.dnsNames, 'tollgate-auth.other'] }, cli] };
  expect(await run(0, more)).toEqual([`PUT ${AUTH}`]);
  expect(certificateOf(AUTH).subjectAltName).toContain('DNS:tollgate-auth.other');

  kubernetes.put(CONSOLE, { ...kubernetes.files(CONSOLE), 'tls.key': kubernetes.files(AUTH)['tls.key'] ?? '' });
  expect(await run(0, more)).toEqual([`PUT ${CONSOLE}`]);
  expect(await run(0, more)).toEqual([]);
});

describe('the authority', () => {
  it('is adopted from an earlier version of the chart, so that pods of both versions can connect', async () => {
    const former = makeAuthority('/O=Company/OU=Platform/CN=of the chart');
    kubernetes.put(FORMER, former);
    expect(await run()).toEqual([`POST ${AUTHORITY}`, `POST ${AUTH}`, `POST ${CONSOLE}`]);
    expect(kubernetes.files(AUTHORITY)).toEqual(former);
    const issuer = certificateOf(AUTHORITY);
    expect(certificateOf(AUTH).checkIssued(issuer)).toBe(true);
    expect(certificateOf(AUTH).verify(issuer.publicKey)).toBe(true);
    expect(await run()).toEqual([]);
  });

  it('may be put there by the operator: all certificates are then of it, and hold no longer than it', async () => {
    await run();
    kubernetes.put(AUTHORITY, makeAuthority());
    expect(await run()).toEqual([`PUT ${AUTH}`, `PUT ${CONSOLE}`]);
    expect(certificateOf(CONSOLE).verify(certificateOf(AUTHORITY).publicKey)).toBe(true);
    expect(kubernetes.files(CONSOLE)['ca.crt']).toBe(certificateOf(AUTHORITY).toString());
    expect(Date.parse(certificateOf(CONSOLE).validTo)).toBe(Date.parse(certificateOf(AUTHORITY).validTo));
  });

  it('is never overwritten where it cannot be read', async () => {
    kubernetes.put(AUTHORITY, { 'tls.crt': 'nonsense', 'tls.key': 'nonsense' });
    const before = snapshot();
    await expect(run()).rejects.toThrow();
    expect(snapshot()).toBe(before);
  });
});

describe('another client that is quicker', () => {
  it('wins with the authority it has made', async () => {
    const other = makeAuthority();
    kubernetes.beforeWrite = (name) => {
      if (name === AUTHORITY && !kubernetes.secrets.has(AUTHORITY)) kubernetes.put(AUTHORITY, other);
    };
    expect(await run()).toEqual([`POST ${AUTH}`, `POST ${CONSOLE}`]);
    expect(kubernetes.files(AUTHORITY)).toEqual(other);
    expect(certificateOf(AUTH).verify(certificateOf(AUTHORITY).publicKey)).toBe(true);
  });

  it('is given way to a few times, and then the run fails', async () => {
    await run();
    let changes = 0;
    kubernetes.beforeWrite = (name) => {
      changes += 1;
      kubernetes.put(name, kubernetes.files(name));
    };
    await expect(run(60)).rejects.toThrow('PUT of secret authority: 409 the object has been modified');
    expect(changes).toBe(5);
  });
});

it('says what the API server refuses', async () => {
  const secrets = openSecrets({ url: kubernetes.url, token: 'wrong', namespace: 'gateway' });
  await expect(secrets.read(AUTH)).rejects.toThrow('GET of secret auth: 401 Unauthorized');
});
