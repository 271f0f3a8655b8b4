import { join } from 'node:path';
import { findFreePorts, isPortFree } from '../processes/ports.ts';

const HOST = '127.0.0.1';

/** Ports of all processes. */
export interface Addresses {
  ingress: number[];
  auths: number[];
  ledgers: number[];
  router: number;
  console: number;
  /** Of payments for gRPC, and of its webhooks. */
  payments: number;
  webhooks: number;
  stripeSimulator: number;
  simulator: number;
  database: number;
  redis: number;
}

/**
 * Chooses the ports of a stack.
 *
 * @param port of the first ingress, followed by the others; free ports if undefined
 * @param fixed ports of the console and of the webhooks of payments; free ports if undefined
 * @throws Error naming the port and its variable if a port is in use
 */
export async function chooseAddresses(
  port: number | undefined,
  counts: { ingresses: number; auths: number; ledgers: number },
  fixed: { console?: number | undefined; webhooks?: number | undefined } = {},
): Promise<Addresses> {
  const { ingresses } = counts;
  const ingress = port === undefined ? await findFreePorts(ingresses) : await requireFree(port, ingresses);
  await requireOneFree(fixed.console, 'the console', 'CONSOLE_PORT', ingress);
  await requireOneFree(fixed.webhooks, 'payments', 'PAYMENTS_PORT', [...ingress, fixed.console ?? 0]);
  const [
    router = 0,
    simulator = 0,
    database = 0,
    redis = 0,
    freeConsole = 0,
    payments = 0,
    freeWebhooks = 0,
    stripeSimulator = 0,
    ...others
  ] = await findFreePorts(8 + counts.auths + counts.ledgers);
  const auths = others.slice(0, counts.auths);
  const ledgers = others.slice(counts.auths);
  return {
    ingress,
    auths,
    ledgers,
    router,
    console: fixed.console ?? freeConsole,
    payments,
    webhooks: fixed.webhooks ?? freeWebhooks,
    stripeSimulator,
    simulator,
    database,
    redis,
  };
}

async function requireOneFree(
  port: number | undefined,
  service: string,
  variable: string,
  taken: readonly number[],
): Promise<void> {
  if (port === undefined || (!taken.includes(port) && (await isPortFree(port, HOST)))) return;
  throw new Error(`Port ${port} of ${service} is in use. Choose another: ${variable}=${otherPort(port)} make up`);
}

async function requireFree(first: number, count: number): Promise<number[]> {
  const ports = Array.from({ length: count }, (_, index) => first + index);
  for (const port of ports) if (!(await isPortFree(port, HOST))) throw new Error(portTaken(port, first, count));
  return ports;
}

/** The error message for a port that is in use. */
export function portTaken(port: number, first: number, count: number): string {
  const range = count === 1 ? '' : ` (the ${count} ingresses take ${first} to ${first + count - 1})`;
  return (
    `Port ${port} is in use by another program${range}, or may not be used by you. ` +
    `Stop that program, or choose another port: PORT=${otherPort(first)} make up`
  );
}

function otherPort(port: number): number {
  return port > 60_000 ? port - 1_000 : port + 1_000;
}

/** The HTTP address of a port, without a path. */
export function httpUrl(port: number): string {
  return `http://${HOST}:${port}`;
}

/** Where payments takes the webhooks of Stripe. */
export function webhooksUrl(port: number): string {
  return `${httpUrl(port)}/webhooks/stripe`;
}

/** The gRPC address of a port. */
export function grpcAddress(port: number): string {
  return `${HOST}:${port}`;
}

/** The gRPC address that a process listens on: its port, or a socket named after it in a folder. */
export function grpcPlace(name: string, port: number, sockets: string | undefined): GrpcPlace {
  if (sockets === undefined) return { address: grpcAddress(port), env: { GRPC_PORT: String(port) } };
  const socket = join(sockets, name);
  return { address: `unix:${socket}`, env: { GRPC_SOCKET: socket } };
}

/** The address of a process, and the settings that make it listen there. */
export interface GrpcPlace {
  address: string;
  env: Record<string, string>;
}
