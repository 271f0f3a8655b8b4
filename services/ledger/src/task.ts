import { runTask } from '@tollgate/common/run-task';

void runTask({
  archive: () => import('./tasks/archive.ts'),
  migrate: () => import('./tasks/migrate.ts'),
  'raise-epoch': () => import('./tasks/raise-epoch.ts'),
  reconcile: () => import('./tasks/reconcile.ts'),
  repost: () => import('./tasks/repost.ts'),
});
