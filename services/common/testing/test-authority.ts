import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { GrpcTlsSettings } from '../src/grpc/tls.ts';

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' });

/** An authority for tests, whose files lie in a folder under its name. Certificates hold for two days. */
export class TestAuthority {
  readonly certificate: string;
  readonly #folder: string;
  readonly #key: string;

  constructor(folder: string, name: string, days = 2) {
    this.#folder = folder;
    this.certificate = join(folder, `${name}-ca.pem`);
    this.#key = join(folder, `${name}-ca.key`);
    const subject = ['-subj', `/CN=${name}`, '-days', String(days)];
    openssl('req', '-x509', ...NEW_KEY, ...subject, '-keyout', this.#key, '-out', this.certificate);
  }

  /**
   * Signs a certificate for `localhost` and other alternative names, in the files `name.pem` and `name.key`.
   *
   * @param alternatives as openssl writes them, such as `DNS:ingress`
   */
  issue(name: string, alternatives: readonly string[] = [], commonName = name): GrpcTlsSettings {
    const [key, request, cert] = ['key', 'csr', 'pem'].map((ending) => join(this.#folder, `${name}.${ending}`));
    if (key === undefined || request === undefined || cert === undefined) throw new Error('no file names');
    const extension = `subjectAltName=${['DNS:localhost', ...alternatives].join(',')}`;
    openssl('req', ...NEW_KEY, '-subj', `/CN=${commonName}`, '-addext', extension, '-keyout', key, '-out', request);
    const ca = ['-CA', this.certificate, '-CAkey', this.#key, '-CAcreateserial'];
    openssl('x509', '-req', '-in', request, ...ca, '-days', '2', '-copy_extensions', 'copy', '-out', cert);
    return { GRPC_TLS_CERT_FILE: cert, GRPC_TLS_KEY_FILE: key, GRPC_TLS_CA_FILE: this.certificate };
  }
}
