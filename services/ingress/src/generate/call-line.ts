import type { PathParameters } from '@tollgate/protocols/protocol';

/** What the path says where a protocol's body says everything: nothing. */
export const ALL_IN_BODY: PathParameters = { model: '', stream: 'none' };
