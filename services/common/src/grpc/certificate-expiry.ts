import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { meterOf } from '../telemetry.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Measures when the certificates of a process expire, by reading the files whenever metrics are read:
 * `tollgate.tls.certificate.expires`, Unix seconds, of its own `certificate`, and of the `authority` that expires last.
 * A file that cannot be read has no value.
 */
export function measureCertificateExpiry(certificateFile: string, authorityFile: string): void {
  meterOf('tollgate-common')
    .createObservableGauge('tollgate.tls.certificate.expires', {
      unit: 's',
      description: 'Expiry of the certificate used between services, and of its authority.',
    })
    .addCallback((result) => {
      const own = expiriesOf(certificateFile);
      if (own.length > 0) result.observe(Math.min(...own), { of: 'certificate' });
      const authorities = expiriesOf(authorityFile);
      if (authorities.length > 0) result.observe(Math.max(...authorities), { of: 'authority' });
    });
}

/** When each certificate of a PEM file expires, Unix seconds. */
function expiriesOf(file: string): number[] {
  try {
    const pems = readFileSync(file, 'utf8').match(CERTIFICATES) ?? [];
    return pems.map((pem) => Date.parse(new X509Certificate(pem).validTo) / 1_000);
  } catch {
    return [];
  }
}
