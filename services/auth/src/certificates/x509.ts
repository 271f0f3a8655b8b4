// The library finds its implementations by reflection.
import 'reflect-metadata';
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  X509Certificate as ParsedCertificate,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

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

/** Creates a self-signed authority, with a new key or the given one. */
export function createAuthority(name: string, validity: Validity, key = newKey()): Promise<KeyPair> {
  return selfSigned(commonName(name), validity, key);
}

/**
 * Renews an authority with the same name and key, so that what either of the two has signed is valid with the other.
 */
export function renewAuthority({ certificate, key }: KeyPair, validity: Validity): Promise<KeyPair> {
  return selfSigned(subjectOf(certificate), validity, key);
}

/** Without key identifiers: a chain of two needs none, and an operator's authority may make others than ours. */
async function selfSigned(subject: Name, validity: Validity, key: KeyObject): Promise<KeyPair> {
  const extensions = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
  ];
  return { certificate: await sign({ subject, issuer: subject, validity, of: key, by: key, extensions }), key };
}

/** Issues a certificate with a new key for DNS names, for both sides of connections. */
export async function issueCertificate(
  authority: KeyPair,
  dnsNames: readonly string[],
  validity: Validity,
): Promise<KeyPair> {
  const key = newKey();
  const extensions = [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
    new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: 'dns', value }))),
  ];
  const issuer = subjectOf(authority.certificate);
  const subject = commonName(dnsNames[0] ?? '');
  return { certificate: await sign({ subject, issuer, validity, of: key, by: authority.key, extensions }), key };
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
  subject: Name;
  issuer: Name;
  validity: Validity;
  of: KeyObject;
  by: KeyObject;
  extensions: Extension[];
}

async function sign({ subject, issuer, validity, of, by, extensions }: Contents): Promise<X509Certificate> {
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer,
    notBefore: validity.from,
    notAfter: validity.to,
    publicKey: createPublicKey(of).export({ type: 'spki', format: 'der' }),
    signingKey: by.toCryptoKey(algorithmOf(by), false, ['sign']),
    extensions,
  });
  return new X509Certificate(Buffer.from(certificate.rawData));
}

/** Names of curves: OpenSSL's and Web Cryptography's. */
const CURVES: Partial<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };

function algorithmOf(key: KeyObject) {
  const type = key.asymmetricKeyType ?? 'unknown';
  if (type === 'rsa') return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const curve = key.asymmetricKeyDetails?.namedCurve ?? '';
  const namedCurve = CURVES[curve];
  if (namedCurve === undefined)
    throw new Error(`the authority's key must be RSA or EC (P-256, P-384 or P-521), not ${curve || type}`);
  return { name: 'ECDSA', namedCurve };
}

function commonName(name: string): Name {
  return new Name([{ CN: [{ utf8String: name }] }]);
}

/** The encoded subject: the issuer of a certificate must equal it byte by byte. */
function subjectOf(certificate: X509Certificate): Name {
  return new ParsedCertificate(certificate.raw).subjectName;
}
