import { userInfo } from 'node:os';
import type { Actor } from './token.ts';

/** Who runs a task at the cluster, for the audit log: TOLLGATE_OPERATOR, else the user of the system. */
export function taskActor(env: NodeJS.ProcessEnv): Actor {
  const name = env['TOLLGATE_OPERATOR'] || userInfo().username;
  return { id: '', name, role: 'operator', via: 'cli', accountId: undefined, readOnly: false, keyIds: undefined };
}
