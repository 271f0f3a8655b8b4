import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { AuthServiceClient } from '@tollgate/proto/auth';

/** Projects that auth lists at a time; an account has a few pages of them at most. */
const PAGE = 200;

/** The names of projects of an account, without deleted ones. */
export async function projectNames(
  auth: AuthServiceClient,
  accountId: string,
  projectIds: readonly string[],
  options: UnaryCallOptions,
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(projectIds);
  const names = new Map<string, string>();
  for (let cursor = ''; names.size < wanted.size; ) {
    const page = await unaryCall(auth.listProjects.bind(auth), { accountId, limit: PAGE, cursor }, options);
    for (const { projectId, name } of page.data) if (wanted.has(projectId)) names.set(projectId, name);
    if (page.nextCursor === '') break;
    cursor = page.nextCursor;
  }
  return names;
}
