import { runTask } from '@tollgate/common/run-task';

void runTask({
  'demo-key': () => import('./tasks/demo-key.ts'),
  migrate: () => import('./tasks/migrate.ts'),
  'paid-request': () => import('./tasks/paid-request.ts'),
});
