import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { status } from '@grpc/grpc-js';
import { isGrpcError } from '@tollgate/common/errors';
import { createGrpcClient, type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { GrpcTls } from '@tollgate/common/grpc/tls';
import { NO_INGRESS } from '@tollgate/common/no-ingress';
import {
  CredentialState,
  type DeploymentHealth,
  type ProviderStatus,
  RouterServiceClient,
  type TestProviderRequest,
  type TestProviderResponse,
} from '@tollgate/proto/router';
import { mergeHealth } from './merge-health.ts';

/** A router that does not respond must not hold up what the others know. */
const DEADLINE_MS = 2_000;
const MAX_ROUTERS = 50;

/** Finds the addresses of a name. */
type Lookup = (host: string) => Promise<{ address: string; family: number }[]>;

/** Every router behind one name. An ingress reports to one of them, so that each knows a part of the outcomes. */
export class RouterReplicas {
  readonly #address: string;
  readonly #tls: Pick<GrpcTls, 'forClients'> | undefined;
  readonly #lookup: Lookup;
  #clients = new Map<string, RouterServiceClient>();

  constructor(
    address: string,
    tls?: Pick<GrpcTls, 'forClients'>,
    find: Lookup = (host) => lookup(host, { all: true }),
  ) {
    this.#address = address;
    this.#tls = tls;
    this.#lookup = find;
  }

  /** The providers as a router sees them that an ingress reports to, if there is one. */
  async readProviders(options: UnaryCallOptions): Promise<ProviderStatus[]> {
    const call = (client: RouterServiceClient) => unaryCall(client.listProviders.bind(client), {}, options);
    const results = await Promise.allSettled((await this.#routers()).map(call));
    const known = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.providers] : []));
    return (
      known.find((each) => each.some(({ credential }) => credential !== CredentialState.UNKNOWN)) ?? known[0] ?? []
    );
  }

  /** Has an ingress test a provider. Only one of the routers may have an ingress: the first that has one does it. */
  async testProvider(request: TestProviderRequest, options: UnaryCallOptions): Promise<TestProviderResponse> {
    let refusal: unknown;
    for (const client of await this.#routers()) {
      try {
        return await unaryCall(client.testProvider.bind(client), request, options);
      } catch (error) {
        if (!isGrpcError(error) || error.code !== status.UNAVAILABLE || error.details !== NO_INGRESS) throw error;
        refusal = error;
      }
    }
    throw refusal;
  }

  /** The health of all deployments, by the outcomes that the routers which respond have received. */
  async readHealth(options: UnaryCallOptions): Promise<DeploymentHealth[]> {
    const limited = { ...options, deadlineMs: Math.min(options.deadlineMs, DEADLINE_MS) };
    const routers = await this.#routers();
    const calls = routers.map((client) => unaryCall(client.getHealth.bind(client), {}, limited));
    const results = await Promise.allSettled(calls);
    const known = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.deployments] : []));
    if (known.length === 0) await Promise.all(calls);
    return mergeHealth(known);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  async #routers(): Promise<RouterServiceClient[]> {
    await this.#findRouters();
    return [...this.#clients.values()];
  }

  /** Follows routers that come and go. While their name cannot be resolved, those that are known stay. */
  async #findRouters(): Promise<void> {
    const [, host, port] = /^([A-Za-z0-9._-]+):(\d+)$/.exec(this.#address) ?? [];
    const found = host === undefined || isIP(host) !== 0 ? [] : await this.#addressesOf(host);
    if (found.length === 0) {
      if (this.#clients.size === 0) this.#clients.set(this.#address, this.#connect(this.#address));
      return;
    }
    const before = this.#clients;
    this.#clients = new Map(
      found.map((ip) => {
        const address = isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`;
        return [address, before.get(address) ?? this.#connect(address, host)];
      }),
    );
    for (const [address, client] of before) if (!this.#clients.has(address)) client.close();
  }

  #connect(address: string, serverName?: string): RouterServiceClient {
    return createGrpcClient(RouterServiceClient, address, this.#tls, serverName === undefined ? {} : { serverName });
  }

  /** Of one family: a router with an IPv4 and an IPv6 address must not be counted twice. Empty: the name is unknown. */
  async #addressesOf(host: string): Promise<string[]> {
    const found = await this.#lookup(host).catch(() => []);
    const family = found.some((each) => each.family === 4) ? 4 : 6;
    const addresses = found.filter((each) => each.family === family).map(({ address }) => address);
    return [...new Set(addresses)].slice(0, MAX_ROUTERS);
  }
}
