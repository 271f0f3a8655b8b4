import { readFileSync } from 'node:fs';
import { commonSettings, loadConfig } from '@tollgate/common/config';
import { runMain } from '@tollgate/common/run-main';
import { z } from 'zod';
import { ensureCertificates, wantedSchema } from '../certificates/ensure.ts';
import { actorKeysSchema, ensureActorKeys } from '../secrets/actor-keys.ts';
import { openSecrets } from '../secrets/kubernetes.ts';

/** Where Kubernetes mounts the credentials of a pod's service account. */
const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

const json = z.string().transform((text): unknown => JSON.parse(text));

const schema = z.object({
  LOG_LEVEL: commonSettings.LOG_LEVEL,
  KUBERNETES_SERVICE_HOST: z.string().min(1),
  KUBERNETES_SERVICE_PORT: z.string().regex(/^\d+$/),
  NAMESPACE: z.string().min(1),
  /** Days that a new certificate is valid. */
  VALIDITY_DAYS: z.coerce.number().int().min(1).max(36_500),
  /** The certificates that must exist, as JSON. */
  CERTIFICATES: json.pipe(wantedSchema).optional(),
  /** The keys of actor tokens that must exist, as JSON. */
  ACTOR_KEYS: json.pipe(actorKeysSchema).optional(),
});

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(schema, env);

/** Issues the certificates between services that are missing or about to expire, and creates the keys of actor tokens. */
runMain('secrets', readConfig, async (config, logger) => {
  const host = config.KUBERNETES_SERVICE_HOST.includes(':')
    ? `[${config.KUBERNETES_SERVICE_HOST}]`
    : config.KUBERNETES_SERVICE_HOST;
  const secrets = openSecrets({
    url: `https://${host}:${config.KUBERNETES_SERVICE_PORT}`,
    token: readFileSync(`${ACCOUNT}/token`, 'utf8').trim(),
    namespace: config.NAMESPACE,
  });
  if (config.ACTOR_KEYS !== undefined) await ensureActorKeys({ secrets, logger }, config.ACTOR_KEYS);
  if (config.CERTIFICATES !== undefined) {
    const timing = { nowMs: Date.now(), validityDays: config.VALIDITY_DAYS };
    await ensureCertificates({ secrets, wanted: config.CERTIFICATES, timing, logger });
  }
});
