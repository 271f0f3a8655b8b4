import { taskActor } from '@tollgate/common/actors/task-actor';
import type { Actor } from '@tollgate/common/actors/token';
import { commonSettings, loadConfig, postgresSettings } from '@tollgate/common/config';
import { createPool, type Pool } from '@tollgate/common/postgres/pool';
import { runMain } from '@tollgate/common/run-main';
import { taskArguments } from '@tollgate/common/run-task';
import { type LinkKind, newLink } from '@tollgate/common/secret-links';
import { z } from 'zod';

const readConfig = (env: NodeJS.ProcessEnv) => loadConfig(z.object({ ...commonSettings, ...postgresSettings }), env);

/** For whom a link is, and what is stored of its secret. */
export interface LinkRequest {
  email: string;
  secretSha256: Buffer;
  actor: Actor;
}

/** Runs a task with the arguments EMAIL CONSOLE_URL, which stores a link and prints it. */
export function runMakeLink(kind: LinkKind, store: (pool: Pool, request: LinkRequest) => Promise<unknown>): void {
  runMain('auth-link', readConfig, async (config, logger) => {
    const [email, consoleUrl] = taskArguments();
    if (email === undefined || consoleUrl === undefined || !URL.canParse(consoleUrl))
      throw new Error('give an e-mail address and the address of the console');
    const pool = createPool({ url: config.DATABASE_URL, size: 1, applicationName: 'tollgate-auth-link' }, logger);
    try {
      const { url, secretSha256 } = newLink(new URL(consoleUrl).origin, kind);
      await store(pool, { email, secretSha256, actor: taskActor(process.env) });
      process.stdout.write(`${url}\n`);
    } finally {
      await pool.end();
    }
  });
}
