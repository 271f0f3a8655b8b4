import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS, clientSetups, FURTHER_AGENTS } from '@tollgate/client-setups/clients';
import type { Connection } from '@tollgate/client-setups/connection';
import { CHECKOUT } from '@tollgate/local';
import { expect, it } from 'vitest';

/** What the pages show: the gateway of `make up`. */
const EXAMPLE: Connection = {
  baseUrl: 'http://127.0.0.1:8080',
  serviceName: 'tollgate',
  secret: null,
  model: 'simulated-small',
  contextWindow: 128_000,
  maxOutputTokens: 16_384,
  inputModalities: ['text', 'image'],
};

const pageOf = (name: string) => readFileSync(join(CHECKOUT, `docs/clients/${name}.md`), 'utf8');

it.each([...AGENTS, ...FURTHER_AGENTS].map((setup) => setup(EXAMPLE)))(
  'docs/clients/$id.md shows what the command prints',
  ({ id, blocks }) => {
    const page = pageOf(id);
    for (const { code } of blocks) expect(page).toContain(`\n${code}\n\`\`\``);
  },
);

it('docs/clients/README.md lists every client that is no SDK', () => {
  const sdks = ['curl', 'openai', 'anthropic', 'gemini'];
  const others = clientSetups(EXAMPLE).filter(({ id }) => !sdks.includes(id));
  expect(others.filter(({ id, label }) => !pageOf('README').includes(`[${label}](${id}.md)`))).toEqual([]);
});
