import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

function runProgram(name: string, ...args: string[]) {
  const program = fileURLToPath(new URL(`./${name}`, import.meta.url));
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', timeout: 20_000 });
}

/** Each test starts programs one after another, which takes seconds on a busy machine. */
const TIMEOUT = { timeout: 60_000 };

describe('check-catalogue', TIMEOUT, () => {
  it('accepts what is shipped, and names the variables it needs', () => {
    const file = fileURLToPath(new URL('../../../../deploy/catalogue/simulated.yaml', import.meta.url));
    const { status, stdout } = runProgram('check-catalogue.ts', file);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ok: \d+ providers, \d+ models$/m);
    expect(stdout).toContain('SIMULATOR_URL');
  });

  it('prints a warning for an unknown dialect with its place, and accepts the file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'));
    const file = join(folder, 'new.yaml');
    const provider = '  - { id: p, protocol: openai-chat, base_url: "https://p.example", auth: none, dialect: newer }';
    const model =
      '  - { id: m, context_window: 9, max_output_tokens: 1, price: { input: 1, output: 1 }, deployments: [{ provider: p }] }';
    writeFileSync(file, ['version: 1', 'providers:', provider, 'models:', model, ''].join('\n'));
    const { status, stdout, stderr } = runProgram('check-catalogue.ts', file);
    rmSync(folder, { recursive: true });
    expect(status).toBe(0);
    expect(stdout).toContain('ok: 1 providers, 1 models');
    expect(stderr).toContain(`warning: ${file}:3:`);
    expect(stderr).toContain('providers[0].dialect: newer is an unknown dialect and has no effect');
  });

  it('refuses what cannot be used with 1, and a wrong call with 2', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'));
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'version: 1\nmodels: []\n');
    const { status, stderr } = runProgram('check-catalogue.ts', file);
    rmSync(folder, { recursive: true });
    expect(status).toBe(1);
    expect(stderr).toContain(`${file}:1:1: providers: is missing`);
    expect(runProgram('check-catalogue.ts').status).toBe(2);
    expect(runProgram('check-catalogue.ts', file).status).toBe(1);
  });
});

describe('print-schema', TIMEOUT, () => {
  it('prints a JSON schema that refuses unknown fields', () => {
    const schema = JSON.parse(runProgram('print-schema.ts').stdout);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.models.items.required).toContain('deployments');
  });
});
