import type { X509Certificate } from 'node:crypto';
import type { Files, Plan } from '../secrets/ensure-secret.ts';
import {
  createAuthority,
  issueCertificate,
  type KeyPair,
  keyPem,
  readKeyPair,
  renewAuthority,
  type Validity,
} from './x509.ts';

const DAY_MS = 86_400_000;
/** New certificates are backdated, because the clocks of some nodes may be behind. */
const BACKDATED_MS = 3_600_000;

/** The current time, and how long a new certificate is valid. */
export interface Timing {
  nowMs: number;
  validityDays: number;
}

/**
 * Plans the authority. An existing one is kept, and renewed with its own key after two thirds of its validity; one that
 * another authority has signed cannot be renewed and is kept until it expires.
 *
 * @param kept files of its Secret; undefined when it does not exist
 * @throws Error when they cannot be read: what an operator has put there is never overwritten
 */
export async function planAuthority(
  kept: Files | undefined,
  name: string,
  timing: Timing,
): Promise<{ plan: Plan; authority: KeyPair }> {
  const validity = validityOf(timing);
  if (kept === undefined) {
    const authority = await createAuthority(name, validity);
    return { plan: write('it did not exist', authority), authority };
  }
  const authority = readKeyPair(kept['tls.crt'] ?? '', kept['tls.key'] ?? '');
  const isSelfSigned = authority.certificate.checkIssued(authority.certificate);
  if (!isSelfSigned || !isDue(authority.certificate, timing.nowMs)) return { plan: { action: 'keep' }, authority };
  const renewed = await renewAuthority(authority, validity);
  return { plan: write(DUE, renewed), authority: renewed };
}

/** Plans the certificate of a service. It is kept while this authority has signed it for its names and it is not due. */
export async function planCertificate(
  kept: Files | undefined,
  dnsNames: readonly string[],
  authority: KeyPair,
  timing: Timing,
): Promise<Plan> {
  const ca = authority.certificate.toString();
  const why = kept === undefined ? 'it did not exist' : reasonToReplace(kept, dnsNames, authority, timing.nowMs);
  if (why !== undefined)
    return write(why, await issueCertificate(authority, dnsNames, withinValidityOf(authority, timing)), ca);
  if (kept?.['ca.crt'] === ca) return { action: 'keep' };
  return { action: 'write', why: 'the authority was renewed', files: { ...kept, 'ca.crt': ca } };
}

const DUE = 'two thirds of its validity have passed';

function reasonToReplace(
  kept: Files,
  dnsNames: readonly string[],
  authority: KeyPair,
  nowMs: number,
): string | undefined {
  const pair = readOrUndefined(kept);
  if (pair === undefined) return 'it could not be read';
  const { certificate } = pair;
  if (!certificate.checkIssued(authority.certificate) || !certificate.verify(authority.certificate.publicKey))
    return 'another authority has signed it';
  const missing = dnsNames.find((name) => certificate.checkHost(name, { subject: 'never' }) === undefined);
  if (missing !== undefined) return `it lacks the name ${missing}`;
  return isDue(certificate, nowMs) ? DUE : undefined;
}

function readOrUndefined(files: Files): KeyPair | undefined {
  try {
    return readKeyPair(files['tls.crt'] ?? '', files['tls.key'] ?? '');
  } catch {
    return undefined;
  }
}

function isDue(certificate: X509Certificate, nowMs: number): boolean {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  return nowMs >= from + (to - from) * (2 / 3);
}

function validityOf({ nowMs, validityDays }: Timing): Validity {
  return { from: new Date(nowMs - BACKDATED_MS), to: new Date(nowMs + validityDays * DAY_MS) };
}

/** A certificate must not outlive its authority, without which it is worthless. */
function withinValidityOf({ certificate }: KeyPair, timing: Timing): Validity {
  const { from, to } = validityOf(timing);
  return { from, to: new Date(Math.min(to.getTime(), Date.parse(certificate.validTo))) };
}

function write(why: string, { certificate, key }: KeyPair, ca?: string): Plan {
  const files = { 'tls.crt': certificate.toString(), 'tls.key': keyPem(key) };
  return { action: 'write', why, files: ca === undefined ? files : { ...files, 'ca.crt': ca } };
}
