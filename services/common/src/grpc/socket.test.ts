import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { getRoutes, startRoutesServer } from '../../testing/routes-server.ts';

it('serves on a Unix socket, also where a process that was killed has left its own', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-socket-'));
  const socket = join(folder, 'router');
  writeFileSync(socket, '');
  const server = await startRoutesServer({ socket });
  await expect(getRoutes(`unix:${socket}`)).resolves.toBeDefined();
  await server.stop(1_000);
  rmSync(folder, { recursive: true });
});
