import type { KeyCache } from '@tollgate/common/keys/index';
import type { Logger } from '@tollgate/common/logging';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { RevocationHub } from './revocations/hub.ts';

/** Everything the handlers work with, made once at start. */
export interface Dependencies {
  pool: Pool;
  cache: KeyCache;
  revocations: RevocationHub;
  logger: Logger;
  /** The service short name in keys. */
  serviceName: string;
}
