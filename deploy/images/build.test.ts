import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterEach, beforeEach, expect, it } from 'vitest';

const BUILD = fileURLToPath(new URL('build', import.meta.url));

let folder: ReturnType<typeof makeTemporaryFolder>;
beforeEach(() => {
  folder = makeTemporaryFolder();
});
afterEach(() => folder.remove());

/** Builds the image of the router with a stand-in for Docker, whose builder has a driver or does not exist. */
function build(driver: string | undefined, env: Record<string, string>) {
  const docker = join(folder.path, 'docker');
  const log = join(folder.path, 'log');
  const program = `#!/bin/sh
case "$1 $2" in
  'buildx inspect') ${driver === undefined ? 'exit 1' : `echo 'Name: it'; echo 'Driver:        ${driver}'`} ;;
  'image inspect') echo 151000000 ;;
  *) printf '%s\\n' "$*" >>'${log}'
    for one; do case $one in type=oci,dest=*) head -c 3000000 /dev/zero >"\${one#type=oci,dest=}" ;; esac; done ;;
esac
`;
  writeFileSync(docker, program);
  chmodSync(docker, 0o755);
  const { NODE_IMAGE: _node, DEBIAN_IMAGE: _debian, ...rest } = process.env;
  const result = spawnSync(BUILD, ['router'], {
    encoding: 'utf8',
    env: { ...rest, DOCKER: docker, IMAGE_TAG: '1.2.0', ...env },
  });
  const call = existsSync(log) ? readFileSync(log, 'utf8').trim() : '';
  return { call, output: result.stdout, errors: result.stderr, status: result.status };
}

it('builds an image of Docker whose labels name its version, commit and base', () => {
  const { call, output, errors, status } = build(undefined, {});
  expect({ errors, status }).toEqual({ errors: '', status: 0 });
  expect(output).toMatch(/^Building tollgate\/router:1\.2\.0\ntollgate\/router:1\.2\.0 +151 MB\n$/);
  expect(call).toMatch(/^build .*--target router --tag tollgate\/router:1\.2\.0 /);
  expect(call).toContain(' --label org.opencontainers.image.version=1.2.0 ');
  expect(call).toMatch(/ --label org\.opencontainers\.image\.revision=[0-9a-f]{40} /);
  expect(call).toMatch(
    / --label org\.opencontainers\.image\.base\.name=docker\.io\/library\/debian:bookworm-\d{8}-slim /,
  );
  expect(call).toMatch(/ --label org\.opencontainers\.image\.base\.digest=sha256:[0-9a-f]{64} /);
});

it.each([
  ['debian:bookworm-slim', 'docker.io/library/debian:bookworm-slim'],
  ['team/debian:1.2', 'docker.io/team/debian:1.2'],
  ['registry.example.com/debian:12', 'registry.example.com/debian:12'],
  ['localhost:5000/debian', 'localhost:5000/debian'],
])('names the base %s that replaces it as %s, without a digest', (image, name) => {
  const { call } = build(undefined, { DEBIAN_IMAGE: image });
  expect(call).toContain(` --build-arg DEBIAN_IMAGE=${image} `);
  expect(call).toContain(` --label org.opencontainers.image.base.name=${name} `);
  expect(call).not.toContain('base.digest');
});

it('builds an archive with SBOM and provenance where the builder makes them', () => {
  const archives = join(folder.path, 'images');
  const { call, output, errors } = build('docker-container', { IMAGE_ARCHIVES: archives });
  const archive = join(archives, 'router.tar');
  expect(call).toMatch(/^buildx build --sbom=true --provenance=mode=max --output /);
  expect(call).toContain(` --output type=oci,dest=${archive} `);
  expect(output).toMatch(/router:1\.2\.0 +3 MB\n$/);
  expect({ errors, isThere: existsSync(archive) }).toEqual({ errors: '', isThere: true });
});

it.each([['docker'], [undefined]])('says so where the builder (%s) makes none', (driver) => {
  const { call, errors, status } = build(driver, { IMAGE_ARCHIVES: join(folder.path, 'images') });
  expect(call).toMatch(/^build /);
  expect(errors).toMatch(/^Without SBOM and provenance: /);
  expect(status).toBe(0);
});
