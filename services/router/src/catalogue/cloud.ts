import type { CloudIdentity } from '@tollgate/proto/router';
import { z } from 'zod';
import type { Finding, Path } from './problem.ts';

const name = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits and . _ -');

/** What credentials of a cloud are for; the credentials themselves come from the environment of the ingress. */
export const cloudSchema = z.strictObject({
  region: name.optional().describe('aws-sigv4, required: the region in the address'),
  service: name.optional().describe('aws-sigv4: the service that is called, bedrock (the default) or bedrock-mantle'),
  profile: name.optional().describe('aws-sigv4: a profile of AWS_CONFIG_FILE, such as one that assumes a role'),
  scope: z
    .string()
    .max(500)
    .regex(/^https:\/\/[\x21-\x7e]+$/, 'must be a URL')
    .optional()
    .describe(
      'google and entra: of access tokens. The cloud platform (google) and https://ai.azure.com/.default when absent',
    ),
  tenant: name.optional().describe('entra: the directory; AZURE_TENANT_ID of the ingress when absent'),
  client_id: name.optional().describe('entra: the application; AZURE_CLIENT_ID of the ingress when absent'),
});

export type CloudEntry = z.output<typeof cloudSchema>;

/** The ways to send credentials whose `cloud` may have each field. */
const SCHEMES_OF = {
  region: ['aws-sigv4'],
  service: ['aws-sigv4'],
  profile: ['aws-sigv4'],
  scope: ['google', 'entra'],
  tenant: ['entra'],
  client_id: ['entra'],
} as const satisfies Record<keyof CloudEntry, readonly string[]>;

interface CloudProvider {
  auth: string;
  protocol: string;
  request_form: string;
  cloud?: CloudEntry | undefined;
}

/** The ways to send credentials that only clouds have. */
export const CLOUD_SCHEMES: ReadonlySet<string> = new Set(['api-key', 'aws-sigv4', 'google', 'entra']);

/** Whether the ingress can find the credential of this scheme in its own environment. */
export function hasAmbientCredential(auth: string): boolean {
  return auth === 'aws-sigv4' || auth === 'google' || auth === 'entra';
}

/** Checks the fields of a provider that is a cloud. */
export function checkCloud({ auth, protocol, request_form, cloud = {} }: CloudProvider, path: Path): Finding[] {
  const findings: Finding[] = [];
  for (const [field, schemes] of Object.entries(SCHEMES_OF)) {
    if (cloud[field as keyof CloudEntry] === undefined || schemes.some((scheme) => scheme === auth)) continue;
    findings.push({ path: [...path, 'cloud', field], message: `is only for auth: ${schemes.join(' or ')}` });
  }
  if (auth === 'aws-sigv4' && cloud.region === undefined) {
    findings.push({ path: [...path, 'cloud'], message: 'must have a region: a signature is for one' });
  }
  if (request_form === 'raw-predict' && protocol !== 'anthropic-messages') {
    const message = 'raw-predict is only for providers of the protocol anthropic-messages';
    findings.push({ path: [...path, 'request_form'], message });
  }
  return findings;
}

/** The cloud of a provider, for ingresses. */
export function toCloudIdentity(entry: CloudEntry | undefined): CloudIdentity | undefined {
  if (entry === undefined) return undefined;
  const { region = '', service = '', profile = '', scope = '', tenant = '', client_id: clientId = '' } = entry;
  return { region, service, profile, scope, tenant, clientId };
}

/** The cloud of a provider in one line. */
export function cloudText(cloud: CloudIdentity | undefined): string {
  if (cloud === undefined) return '';
  const { region, service, profile, scope, tenant, clientId } = cloud;
  const fields = { region, service, profile, scope, tenant, client_id: clientId };
  return Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map((field) => field.join(' '))
    .join(', ');
}
