import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@tollgate/common/logging';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLiveCatalogue } from './live-catalogue.ts';
import { CatalogueError } from './problem.ts';

function catalogue(model: string): string {
  return `version: 1
providers: [{ id: p, protocol: openai-chat, base_url: "https://p.example", auth: none }]
models:
  - { id: ${model}, context_window: 9, max_output_tokens: 1, price: { input: 1, output: 1 }, deployments: [{ provider: p }] }
`;
}

let folder: string;
let stop: (() => void) | undefined;
const seen: string[] = [];
const reloads: boolean[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-catalogue-'));
  seen.length = 0;
  reloads.length = 0;
});
afterEach(async () => {
  stop?.();
  await rm(folder, { recursive: true });
});

async function open(file: string, pollMs: number) {
  const live = await openLiveCatalogue({
    file,
    pollMs,
    variables: {},
    logger: createLogger('test', 'silent'),
    onRoutes: (routes) => seen.push(routes.models[0]?.modelId ?? ''),
    onReload: (usable) => reloads.push(usable),
  });
  stop = live.stop;
}

describe('a live catalogue', () => {
  it.each([
    ['by notice', 60_000],
    ['by polling too', 100],
  ])('sees the swap of a symlink, as of a ConfigMap, %s', async (_, pollMs) => {
    await mkdir(join(folder, '..1'));
    await writeFile(join(folder, '..1', 'catalogue.yaml'), catalogue('first'));
    await symlink('..1', join(folder, '..data'));
    await symlink(join('..data', 'catalogue.yaml'), join(folder, 'catalogue.yaml'));
    await open(join(folder, 'catalogue.yaml'), pollMs);
    await mkdir(join(folder, '..2'));
    await writeFile(join(folder, '..2', 'catalogue.yaml'), catalogue('second'));
    await symlink('..2', join(folder, '..data_tmp'));
    await rename(join(folder, '..data_tmp'), join(folder, '..data'));
    await vi.waitFor(() => expect(seen).toEqual(['first', 'second']), { timeout: 30_000 });
  });

  it('keeps what it has while the file is not usable, and reports it', async () => {
    const file = join(folder, 'catalogue.yaml');
    await writeFile(file, catalogue('first'));
    await open(file, 100);
    await writeFile(file, 'version: 1\n');
    await vi.waitFor(() => expect(reloads.at(-1)).toBe(false), { timeout: 30_000 });
    expect(seen).toEqual(['first']);
    await rm(file);
    await writeFile(file, catalogue('second'));
    await vi.waitFor(() => expect(seen).toEqual(['first', 'second']), { timeout: 30_000 });
    expect(reloads.at(-1)).toBe(true);
  });

  it('keeps what it has where a price version gets other rates', async () => {
    const file = join(folder, 'catalogue.yaml');
    const priced = (model: string, price: string) => catalogue(model).replace('input: 1, output: 1', price);
    await writeFile(file, priced('first', 'version: v1, input: 1, output: 1'));
    await open(file, 100);
    await writeFile(file, priced('first', 'version: v1, input: 2, output: 1'));
    await vi.waitFor(() => expect(reloads.at(-1)).toBe(false), { timeout: 30_000 });
    expect(seen).toEqual(['first']);
    await writeFile(file, priced('first', 'version: v2, input: 2, output: 1'));
    await vi.waitFor(() => expect(seen).toEqual(['first', 'first']), { timeout: 30_000 });
  });

  it('does not start on a file that is not usable', async () => {
    const file = join(folder, 'catalogue.yaml');
    await expect(open(file, 100)).rejects.toThrow(CatalogueError);
    await writeFile(file, 'models: []');
    await expect(open(file, 100)).rejects.toThrow(/providers: is missing/);
  });
});
