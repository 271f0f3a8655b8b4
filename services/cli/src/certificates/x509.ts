import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import {
  bitString,
  derNull,
  derTrue,
  explicit,
  implicit,
  objectIdentifier,
  octetString,
  partsOf,
  sequence,
  set,
  time,
  unsignedInteger,
  utf8String,
} from './der.ts';

/** A certificate and its private key. */
export interface KeyPair {
  certificate: X509Certificate;
  key: KeyObject;
}

/** How long a certificate is valid. */
export interface Validity {
  from: Date;
  to: Date;
}

const OID = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** Creates a self-signed authority, with a new key or the given one. */
export function createAuthority(name: string, validity: Validity, key = newKey()): KeyPair {
  return selfSigned(commonName(name), validity, key);
}

/**
 * Renews an authority with the same name and key, so that what either of the two has signed is valid with the other.
 */
export function renewAuthority({ certificate, key }: KeyPair, validity: Validity): KeyPair {
  return selfSigned(subjectOf(certificate), validity, key);
}

/** Without key identifiers: a chain of two needs none, and those of an operator's authority may differ from ours. */
function selfSigned(subject: Buffer, validity: Validity, key: KeyObject): KeyPair {
  const extensions = [
    critical(OID.basicConstraints, sequence(derTrue())),
    // keyCertSign and cRLSign
    critical(OID.keyUsage, bitString(Buffer.from([0b0000_0110]), 1)),
  ];
  return { certificate: assemble({ subject, issuer: subject, validity, of: key, by: key, extensions }), key };
}

/** Issues a certificate with a new key for DNS names, for both sides of connections. */
export function issueCertificate(authority: KeyPair, dnsNames: readonly string[], validity: Validity): KeyPair {
  const key = newKey();
  const names = dnsNames.map((name) => implicit(2, Buffer.from(name)));
  const uses = [OID.serverAuth, OID.clientAuth].map(objectIdentifier);
  const extensions = [
    critical(OID.basicConstraints, sequence()),
    // digitalSignature
    critical(OID.keyUsage, bitString(Buffer.from([0b1000_0000]), 7)),
    extension(OID.extendedKeyUsage, sequence(...uses)),
    extension(OID.subjectAltName, sequence(...names)),
  ];
  const issuer = subjectOf(authority.certificate);
  const subject = commonName(dnsNames[0] ?? '');
  return { certificate: assemble({ subject, issuer, validity, of: key, by: authority.key, extensions }), key };
}

/**
 * Reads a certificate and its key from PEM.
 *
 * @throws Error when they cannot be read or do not match
 */
export function readKeyPair(certificatePem: string, keyPem: string): KeyPair {
  const certificate = new X509Certificate(certificatePem);
  const key = createPrivateKey(keyPem);
  if (!certificate.checkPrivateKey(key)) throw new Error('the key does not match the certificate');
  return { certificate, key };
}

/** The key in PEM. */
export function keyPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}

interface Contents {
  subject: Buffer;
  issuer: Buffer;
  validity: Validity;
  of: KeyObject;
  by: KeyObject;
  extensions: Buffer[];
}

function assemble({ subject, issuer, validity, of, by, extensions }: Contents): X509Certificate {
  const algorithm = signatureAlgorithm(by);
  const signed = sequence(
    explicit(0, unsignedInteger(Buffer.from([2]))),
    unsignedInteger(randomBytes(16)),
    algorithm,
    issuer,
    sequence(time(validity.from), time(validity.to)),
    subject,
    publicKeyOf(of),
    explicit(3, sequence(...extensions)),
  );
  return new X509Certificate(sequence(signed, algorithm, bitString(sign('sha256', signed, by))));
}

function signatureAlgorithm(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === 'ec') return sequence(objectIdentifier(OID.ecdsaWithSha256));
  if (key.asymmetricKeyType === 'rsa') return sequence(objectIdentifier(OID.sha256WithRsa), derNull());
  throw new Error(`the authority's key must be EC or RSA, not ${key.asymmetricKeyType ?? 'unknown'}`);
}

function publicKeyOf(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

function commonName(name: string): Buffer {
  return sequence(set(sequence(objectIdentifier(OID.commonName), utf8String(name))));
}

/** The encoded subject: the issuer of a certificate must equal it byte by byte. */
function subjectOf(certificate: X509Certificate): Buffer {
  const [signed = Buffer.alloc(0)] = partsOf(certificate.raw);
  const parts = partsOf(signed);
  // Only version 1 of certificates omits the version.
  const subject = parts[parts[0]?.[0] === 0xa0 ? 5 : 4];
  if (subject === undefined) throw new Error('the certificate has no subject');
  return subject;
}

const extension = (oid: string, contents: Buffer) => sequence(objectIdentifier(oid), octetString(contents));
const critical = (oid: string, contents: Buffer) => sequence(objectIdentifier(oid), derTrue(), octetString(contents));
