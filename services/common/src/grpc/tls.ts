import { accessSync, constants } from 'node:fs';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { ConfigError } from '../config.ts';
import { messageOf } from '../errors.ts';
import { ROLE_PLACEHOLDER } from './callers.ts';
import { measureCertificateExpiry } from './certificate-expiry.ts';

/** How long it takes at most until new connections use a replaced file. */
const REFRESH_MS = 10_000;

const SETTINGS = ['GRPC_TLS_CERT_FILE', 'GRPC_TLS_KEY_FILE', 'GRPC_TLS_CA_FILE'] as const;

export type GrpcTlsSettings = Partial<
  Record<(typeof SETTINGS)[number] | 'GRPC_TLS_CLIENT_NAME', string | undefined>
> & {
  GRPC_TLS_OPTIONAL?: boolean | undefined;
};

/** Mutual TLS of a process. */
export interface GrpcTls {
  /** For the clients of a process. */
  forClients: () => ChannelCredentials;
  /** For its server. Resolves once the files have been read: before, grpc-js would drop all connections. */
  forServer: () => Promise<ServerCredentials>;
  /** The DNS name that identifies a caller, with `{role}` for its role. */
  clientName: string;
  /** Whether a server also accepts connections without TLS, which may use every method. */
  optional: boolean;
}

/**
 * Mutual TLS with the files that the settings name. They are reloaded while the process runs, so that a renewed certificate
 * needs no restart, and their expiry is measured.
 *
 * @param refreshMs how often the files are checked
 * @returns undefined when no file is set: connections are unencrypted
 * @throws ConfigError when only some files are set, one cannot be read, or GRPC_TLS_CLIENT_NAME lacks the role
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
  for (const name of SETTINGS) checkReadable(name, settings[name]);
  measureCertificateExpiry(cert, ca);
  const files = new experimental.FileWatcherCertificateProvider({
    certificateFile: cert,
    privateKeyFile: key,
    caCertificateFile: ca,
    refreshIntervalMs: refreshMs,
  });
  return {
    forClients: () => experimental.createCertificateProviderChannelCredentials(files, files),
    forServer: async () => {
      await firstRead(files);
      return experimental.createCertificateProviderServerCredentials(files, files, true);
    },
    clientName,
    optional: settings.GRPC_TLS_OPTIONAL ?? false,
  };
}

function firstRead(files: experimental.CertificateProvider): Promise<void> {
  return new Promise((resolve) => {
    const listener = () => {
      files.removeIdentityCertificateListener(listener);
      resolve();
    };
    files.addIdentityCertificateListener(listener);
  });
}

function checkReadable(name: string, file = ''): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new ConfigError(`${name}: cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
