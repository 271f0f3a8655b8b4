import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KEY_PLACEHOLDER } from '@tollgate/client-setups/connection';
import { CHECKOUT } from '@tollgate/local';
import { z } from 'zod';
import type { AgentsGateway } from './gateway.ts';

const run = promisify(execFile);

const setupSchema = z.object({
  blocks: z.array(z.object({ language: z.string(), code: z.string(), file: z.string().nullable() })),
});

/** The setup of a client: files for its home folder, and shell lines that end with its command. */
export interface PrintedSetup {
  files: Record<string, string>;
  shell: string;
}

/** What `tollgate clients` prints for a client and a model, with the key in place of the ellipsis. */
export async function printedSetup(client: string, model: string, gateway: AgentsGateway): Promise<PrintedSetup> {
  const { base_url: baseUrl, console } = gateway.stack.facts;
  const { stdout } = await run(
    join(CHECKOUT, 'services/cli/bin/tollgate'),
    ['clients', client, '--model', model, '--json'],
    {
      env: { ...process.env, TOLLGATE_URL: console?.url, TOLLGATE_MANAGEMENT_KEY: console?.management_key },
      timeout: 30_000,
    },
  );
  const { blocks } = setupSchema.parse(JSON.parse(stdout.replaceAll(baseUrl, gateway.baseUrl)));
  const shell = blocks.find(({ language }) => language === 'shell')?.code ?? '';
  const files = blocks.flatMap(({ file, code }) => (file === null ? [] : [[file, withKey(code, gateway.key)]]));
  return { files: Object.fromEntries(files), shell: withKey(shell, gateway.key) };
}

function withKey(text: string, key: string): string {
  return text.replaceAll(KEY_PLACEHOLDER, key);
}
