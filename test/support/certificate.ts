import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Files in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** Makes a certificate for `localhost`, and for no address, that nobody has signed but itself. */
export function makeCertificate(folder: string): Certificate {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const form = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...form, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key, cert };
}
