import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Files in PEM. */
export interface Certificate {
  key: string;
  cert: string;
}

/** Creates a self-signed certificate for host names. */
export function makeCertificate(folder: string, names: readonly string[] = ['localhost']): Certificate {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const alternatives = names.map((name) => `DNS:${name}`).join(',');
  const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${alternatives}`];
  const form = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...form, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  return { key, cert };
}
