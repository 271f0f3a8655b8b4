import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Client, loadPackageDefinition, Server, ServerCredentials, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { expect, it, onTestFinished } from 'vitest';
import { createGrpcClient } from './client.ts';
import { addReflection } from './reflection.ts';
import { bindServer } from './server.ts';

const SERVICE_NAME = 'tollgate.auth.v1.AuthService';
const PROTO_FOLDER = join(dirname(createRequire(import.meta.url).resolve('@grpc/reflection')), '../proto');

async function startServer(): Promise<number> {
  const server = new Server();
  addReflection(server, SERVICE_NAME);
  const port = await bindServer(server, '127.0.0.1:0', ServerCredentials.createInsecure());
  onTestFinished(() => server.forceShutdown());
  return port;
}

/** Sends requests on one stream; resolves with the responses once the server has ended it. */
async function ask(port: number, version: string, requests: object[]): Promise<Record<string, unknown>[]> {
  const proto = `grpc/reflection/${version}/reflection.proto`;
  const loaded = loadPackageDefinition(loadSync(proto, { includeDirs: [PROTO_FOLDER] }));
  const path = `grpc.reflection.${version}.ServerReflection`.split('.');
  const service = path.reduce<unknown>((at, name) => Reflect.get(Object(at), name), loaded);
  const method = (service as ServiceClientConstructor).service['ServerReflectionInfo'];
  if (method === undefined) throw new Error(`${proto} has no method`);
  const client = createGrpcClient(Client, `127.0.0.1:${port}`, undefined);
  onTestFinished(() => client.close());
  const call = client.makeBidiStreamRequest<object, Record<string, unknown>>(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
  );
  for (const request of requests) call.write(request);
  call.end();
  const responses: Record<string, unknown>[] = [];
  for await (const response of call) responses.push(response);
  return responses;
}

it.each(['v1', 'v1alpha'])('lists the service and describes its messages (%s)', async (version) => {
  const port = await startServer();
  const [list, file, unknown] = await ask(port, version, [
    { listServices: '*' },
    { fileContainingSymbol: SERVICE_NAME },
    { fileContainingSymbol: 'tollgate.auth.v1.Unknown' },
  ]);
  expect(list).toMatchObject({ listServicesResponse: { service: [{ name: SERVICE_NAME }] } });
  expect(Buffer.from(descriptorsOf(file)[0] ?? []).includes('AuthService')).toBe(true);
  expect(unknown).toMatchObject({ errorResponse: { errorCode: 5 } });
});

function descriptorsOf(response: Record<string, unknown> | undefined): Uint8Array[] {
  const { fileDescriptorProto } = Object(response?.['fileDescriptorResponse']) as { fileDescriptorProto: Uint8Array[] };
  return fileDescriptorProto;
}
