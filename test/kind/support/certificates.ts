import { credentials } from '@grpc/grpc-js';
import type { GrpcTls } from '@tollgate/common/grpc/tls';
import type { Release } from './release.ts';

/** The secret with a component's certificate, which the chart's hook creates. */
export const certificateOf = (release: Release, component: string) => release.named(`${component}-tls-generated`);

/**
 * Calls services with a component's certificate through forwarded ports. Their names are not those of services, so only
 * the authority of the service's certificate is verified.
 */
export async function certifiedAs(component: string, release: Release): Promise<Pick<GrpcTls, 'forClients'>> {
  const file = async (name: string) =>
    Buffer.from(await release.secret(certificateOf(release, component), name.replace('.', '\\.')));
  const [ca, key, cert] = await Promise.all(['ca.crt', 'tls.key', 'tls.crt'].map(file));
  return { forClients: () => credentials.createSsl(ca, key, cert, { checkServerIdentity: () => undefined }) };
}
