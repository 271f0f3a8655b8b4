import { RpcError } from '@tollgate/common/errors';
import { MAX_CATALOGUE_BYTES } from '@tollgate/common/file-sizes';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { CompareCatalogueRequest, CompareCatalogueResponse } from '@tollgate/proto/router';
import { compareCatalogues } from '../catalogue/compare.ts';
import type { LiveCatalogue } from '../catalogue/live-catalogue.ts';
import { CatalogueError, toCatalogueErrors } from '../catalogue/problem.ts';

/** Compares a catalogue with the one in use, without using it; one at a time, because reading one takes memory. */
export function createCompareCatalogueHandler({
  catalogue,
}: {
  catalogue: LiveCatalogue;
}): UnaryHandler<CompareCatalogueRequest, CompareCatalogueResponse> {
  let busy = false;
  return async ({ content }, { signal }) => {
    if (Buffer.byteLength(content) > MAX_CATALOGUE_BYTES) {
      throw new RpcError('invalid_argument', `content: must have at most ${MAX_CATALOGUE_BYTES} bytes`);
    }
    if (busy) throw new RpcError('resource_exhausted', 'another catalogue is being compared: try again in a minute');
    busy = true;
    try {
      const { routes } = await catalogue.parse(content, signal);
      return { errors: [], changes: compareCatalogues(catalogue.inUse.routes, routes) };
    } catch (error) {
      if (!(error instanceof CatalogueError)) throw error;
      return { errors: toCatalogueErrors(error.problems), changes: [] };
    } finally {
      busy = false;
    }
  };
}
