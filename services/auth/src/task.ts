import { runTask } from '@tollgate/common/run-task';

void runTask({
  'invite-operator': () => import('./tasks/invite-operator.ts'),
  migrate: () => import('./tasks/migrate.ts'),
  'reset-link': () => import('./tasks/reset-link.ts'),
  secrets: () => import('./tasks/secrets.ts'),
});
