import type { Api } from '@tollgate/proto/api-types';

export type { Api };

/** Such as `GET /accounts/{account_id}/keys`. */
export type Route = keyof Api;
