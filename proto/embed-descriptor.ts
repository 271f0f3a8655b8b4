import { readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Makes a module of the descriptors that `buf build` wrote, so that bundles contain them. */
const file = new URL('generated/descriptor.binpb', import.meta.url);
const text = readFileSync(file).toString('base64');
writeFileSync(
  new URL('generated/descriptor.ts', import.meta.url),
  `/** A google.protobuf.FileDescriptorSet of all proto files, in Base64. */\nexport const DESCRIPTORS =\n  '${text}';\n`,
);
rmSync(file);
