import { readFileSync } from 'node:fs';
import { commonSettings, loadConfig } from '@tollgate/common/config';
import { runMain } from '@tollgate/common/run-main';
import { z } from 'zod';
import { ensureCertificates, wantedSchema } from './ensure.ts';
import { openSecrets } from './kubernetes.ts';

/** Where Kubernetes mounts the credentials of a pod's service account. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const schema = z.object({
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  KUBERNETES_SERVICE_HOST: z.string().min(1),
  KUBERNETES_SERVICE_PORT: z.string().regex(/^\d+$/),
  NAMESPACE: z.string().min(1),
  /** Days that a new certificate is valid. */
  VALIDITY_DAYS: z.coerce.number().int().min(1).max(36_500),
  /** The certificates that must exist, as JSON. */
  CERTIFICATES: z
    .string()
    .transform((text): unknown => JSON.parse(text))
    .pipe(wantedSchema),
});

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(schema, env);

/** Issues the certificates between services that are missing or about to expire. */
runMain('certificates', readConfig, async (config, logger) => {
  const host = config.KUBERNETES_SERVICE_HOST.includes(':')
    ? `[${config.KUBERNETES_SERVICE_HOST}]`
    : config.KUBERNETES_SERVICE_HOST;
  await ensureCertificates({
    secrets: openSecrets({
      url: `https://${host}:${config.KUBERNETES_SERVICE_PORT}`,
      token: readFileSync(`${ACCOUNT}/token`, 'utf8').trim(),
      namespace: config.NAMESPACE,
    }),
    wanted: config.CERTIFICATES,
    timing: { nowMs: Date.now(), validityDays: config.VALIDITY_DAYS },
    logger,
  });
});
