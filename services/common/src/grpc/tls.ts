import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { ConfigError } from '../config.ts';
import { ROLE_PLACEHOLDER } from './callers.ts';
import { measureCertificateExpiry } from './certificate-expiry.ts';

/** A file that was replaced is used for connections made so long after, at the latest. */
const REFRESH_MS = 10_000;

const SETTINGS = ['GRPC_TLS_CERT_FILE', 'GRPC_TLS_KEY_FILE', 'GRPC_TLS_CA_FILE'] as const;

export type GrpcTlsSettings = Partial<
  Record<(typeof SETTINGS)[number] | 'GRPC_TLS_CLIENT_NAME', string | undefined>
> & {
  GRPC_TLS_OPTIONAL?: boolean | undefined;
};

/** How a process proves to others who it is, and has them prove it. */
export interface GrpcTls {
  /** For the clients of a process. */
  forClients: () => ChannelCredentials;
  /** For its server. */
  forServer: () => ServerCredentials;
  /** The DNS name by which a server knows its callers, with `{role}` in place of what they are. */
  clientName: string;
  /** Whether a server also takes connections without TLS, from callers that may then make every call. */
  optional: boolean;
}

/**
 * Mutual TLS with the files that the settings name. They are read again while the process runs, so that a renewed
 * certificate needs no restart, and how long they hold is measured.
 *
 * @param refreshMs how often the files are looked at
 * @returns undefined where none is set: connections are not encrypted
 * @throws ConfigError where some are set and others not, and where the name of callers has no place for their role
 */
export function grpcTls(settings: GrpcTlsSettings, refreshMs = REFRESH_MS): GrpcTls | undefined {
  const { GRPC_TLS_CERT_FILE: cert, GRPC_TLS_KEY_FILE: key, GRPC_TLS_CA_FILE: ca } = settings;
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined || ca === undefined) {
    const missing = SETTINGS.filter((name) => settings[name] === undefined);
    throw new ConfigError(`${missing.join(', ')}: must be set where others of ${SETTINGS.join(', ')} are`);
  }
  const clientName = settings.GRPC_TLS_CLIENT_NAME ?? ROLE_PLACEHOLDER;
  if (!clientName.includes(ROLE_PLACEHOLDER))
    throw new ConfigError(`GRPC_TLS_CLIENT_NAME: must contain ${ROLE_PLACEHOLDER}, which stands for what a caller is`);
  measureCertificateExpiry(cert, ca);
  const files = new experimental.FileWatcherCertificateProvider({
    certificateFile: cert,
    privateKeyFile: key,
    caCertificateFile: ca,
    refreshIntervalMs: refreshMs,
  });
  return {
    forClients: () => experimental.createCertificateProviderChannelCredentials(files, files),
    forServer: () => experimental.createCertificateProviderServerCredentials(files, files, true),
    clientName,
    optional: settings.GRPC_TLS_OPTIONAL ?? false,
  };
}
