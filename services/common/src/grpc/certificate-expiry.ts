import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { meterOf } from '../telemetry.ts';

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Measures until when the certificates of a process hold, as the files say whenever metrics are read:
 * `tollgate.tls.certificate.expires`, Unix seconds, of its own `certificate`, and of the `authority` that holds the longest.
 * A file that cannot be read has no figure.
 */
export function measureCertificateExpiry(certificateFile: string, authorityFile: string): void {
  meterOf('tollgate-common')
    .createObservableGauge('tollgate.tls.certificate.expires', {
      unit: 's',
      description: 'Until when the certificate used between services holds, and the authority it is proven by.',
    })
    .addCallback((result) => {
      const own = endsOf(certificateFile);
      if (own.length > 0) result.observe(Math.min(...own), { of: 'certificate' });
      const authorities = endsOf(authorityFile);
      if (authorities.length > 0) result.observe(Math.max(...authorities), { of: 'authority' });
    });
}

/** When each certificate of a PEM file ends, Unix seconds. */
function endsOf(file: string): number[] {
  try {
    const pems = readFileSync(file, 'utf8').match(CERTIFICATES) ?? [];
    return pems.map((pem) => Date.parse(new X509Certificate(pem).validTo) / 1_000);
  } catch {
    return [];
  }
}
