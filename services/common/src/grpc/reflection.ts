import { createRequire } from 'node:module';
import type { handleBidiStreamingCall, MethodDefinition, Server } from '@grpc/grpc-js';
import { DESCRIPTORS } from '@tollgate/proto/descriptor';

const VERSIONS = ['grpc.reflection.v1.ServerReflection', 'grpc.reflection.v1alpha.ServerReflection'];

/** A method of a service, with the code that serves it. */
interface Method {
  definition: MethodDefinition<unknown, unknown>;
  handle: handleBidiStreamingCall<unknown, unknown>;
}

/**
 * Adds reflection to a server. Its code, which takes 7 MiB, is loaded with the first call, because
 * few servers are ever asked.
 *
 * @param serviceName the service that is listed
 */
export function addReflection(server: Server, serviceName: string): void {
  let loaded: ReadonlyMap<string, Method> | undefined;
  for (const path of VERSIONS.map((version) => `/${version}/ServerReflectionInfo`)) {
    const method = (): Method => {
      loaded ??= loadReflection(serviceName);
      const found = loaded.get(path);
      if (found === undefined) throw new Error(`the package for reflection does not serve ${path}`);
      return found;
    };
    const definition: MethodDefinition<unknown, unknown> = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (message) => method().definition.requestSerialize(message),
      requestDeserialize: (bytes) => method().definition.requestDeserialize(bytes),
      responseSerialize: (message) => method().definition.responseSerialize(message),
      responseDeserialize: (bytes) => method().definition.responseDeserialize(bytes),
    };
    const handle: handleBidiStreamingCall<unknown, unknown> = (call) => method().handle(call);
    server.addService({ ServerReflectionInfo: definition }, { ServerReflectionInfo: handle });
  }
}

/** The methods of reflection, by path. */
function loadReflection(serviceName: string): ReadonlyMap<string, Method> {
  // Synchronously, because a server decodes messages synchronously.
  const require = createRequire(import.meta.url);
  const loader: typeof import('@grpc/proto-loader') = require('@grpc/proto-loader');
  const reflection: typeof import('@grpc/reflection') = require('@grpc/reflection');
  const packages = loader.loadFileDescriptorSetFromBuffer(Buffer.from(DESCRIPTORS, 'base64'));
  const methods = new Map<string, Method>();
  const addService: Server['addService'] = (definitions, implementation) => {
    for (const [name, definition] of Object.entries(definitions)) {
      const handle = implementation[name];
      if (handle !== undefined) methods.set(definition.path, { definition, handle: handle as Method['handle'] });
    }
  };
  new reflection.ReflectionService(packages, { services: [serviceName] }).addToServer({ addService });
  return methods;
}
