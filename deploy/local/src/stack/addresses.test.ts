import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { findFreePorts, isPortFree } from '../processes/ports.ts';
import { chooseAddresses, portTaken } from './addresses.ts';

it('names a port in use and the variable that changes it', async () => {
  const [port = 0] = await findFreePorts(2);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port + 1, '127.0.0.1', resolve));
  await expect(chooseAddresses(port, { ingresses: 2, auths: 1, ledgers: 1 })).rejects.toThrow(
    new RegExp(`Port ${port + 1} .*${port} to ${port + 1}.*PORT=`),
  );
  await new Promise((resolve) => server.close(resolve));
  expect((await chooseAddresses(port, { ingresses: 2, auths: 1, ledgers: 1 })).ingress).toEqual([port, port + 1]);
});

it('names the port of the console and its variable when it is in use, or taken by an ingress', async () => {
  const counts = { ingresses: 1, auths: 1, ledgers: 1 };
  const [port = 0, other = 0] = await findFreePorts(2);
  await expect(chooseAddresses(port, counts, { console: port })).rejects.toThrow(/CONSOLE_PORT=/);
  expect((await chooseAddresses(port, counts, { console: other })).console).toBe(other);
  const both = { console: other, webhooks: other };
  await expect(chooseAddresses(port, counts, both)).rejects.toThrow(/of payments .*PAYMENTS_PORT=/);
});

it('suggests a port that exists', () => {
  expect(portTaken(65_535, 65_535, 1)).toContain('PORT=64535');
  expect(portTaken(8_080, 8_080, 1)).not.toContain('ingresses');
});

it('gives every process a free port of its own', async () => {
  const counts = { ingresses: 3, auths: 2, ledgers: 2 };
  const { ingress, auths, ledgers, ...others } = await chooseAddresses(undefined, counts);
  const ports = [...ingress, ...auths, ...ledgers, ...Object.values(others)];
  expect([auths, ledgers].map((list) => list.length)).toEqual([2, 2]);
  expect(new Set(ports).size).toBe(ports.length);
  expect(await Promise.all(ports.map((port) => isPortFree(port)))).not.toContain(false);
});
