import { runTask } from '@tollgate/common/run-task';

void runTask({
  migrate: () => import('./tasks/migrate.ts'),
});
