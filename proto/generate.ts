import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, getOption } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/**
 * Makes modules of the descriptors that `buf build` wrote, so that bundles contain them: all of them, and who may make each
 * call, which services need without loading the rest.
 */
const file = new URL('generated/descriptor.binpb', import.meta.url);
const bytes = readFileSync(file);
rmSync(file);
writeFileSync(
  new URL('generated/descriptor.ts', import.meta.url),
  `/** A google.protobuf.FileDescriptorSet of all proto files, in Base64. */
export const DESCRIPTORS =\n  '${bytes.toString('base64')}';
`,
);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, bytes));
const permission = registry.getExtension('tollgate.api.v1.permission');
if (permission === undefined) throw new Error('annotations.proto has no option for permissions');
const permissions: Record<string, unknown> = {};
for (const service of registry) {
  // The console's service is not served over gRPC.
  if (service.kind !== 'service' || service.typeName.startsWith('tollgate.console.')) continue;
  for (const method of service.methods) {
    const { $typeName: _, ...given } = getOption(method, permission) as unknown as { $typeName: string; roles: number };
    const isDecided = Object.values(given).some((value) => value !== 0 && value !== false);
    if (isDecided) permissions[`/${service.typeName}/${method.name}`] = given;
  }
}
writeFileSync(
  new URL('generated/permissions.ts', import.meta.url),
  `import type { Permission } from './tollgate/api/v1/annotations.ts';

/** Who may make each call, by its path. Calls that are not listed are denied. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = ${JSON.stringify(permissions)};
`,
);
