import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

function runProgram(name: string) {
  const program = fileURLToPath(new URL(`./${name}`, import.meta.url));
  return spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 20_000 });
}

/** Starting a program takes seconds on a busy machine. */
const TIMEOUT = { timeout: 60_000 };

describe('print-schema', TIMEOUT, () => {
  it('prints a JSON schema that refuses unknown fields', () => {
    const schema = JSON.parse(runProgram('print-schema.ts').stdout);
    expect(schema.additionalProperties).toBe(false);
    expect(schema.properties.models.items.required).toContain('deployments');
  });
});
