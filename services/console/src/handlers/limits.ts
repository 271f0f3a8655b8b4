import { unaryCall } from '@tollgate/common/grpc/client';
import type { Dependencies } from '../dependencies.ts';
import type { Handlers } from '../http/handlers.ts';
import { capUsagesOf, readCapUsage } from '../usage/cap-usages.ts';

/** The handler of the tree of limits: one call of auth, and one of the ledger. */
export function limitHandlers({ auth, ledger }: Dependencies) {
  return {
    getLimitTree: async (request, { rpc }) => {
      const options = await rpc();
      const { nodes, isCut } = await unaryCall(auth.listLimitTree.bind(auth), request, options);
      const used = await readCapUsage(ledger, request.accountId, nodes, options);
      const byNode = Map.groupBy(used, ({ nodeId }) => nodeId);
      const nowMs = Date.now();
      return {
        data: nodes.map((node) => ({
          scope: node.scope,
          id: node.nodeId,
          parentId: node.parentId,
          name: node.name,
          status: node.status,
          capUsage: capUsagesOf(node, byNode.get(node.nodeId) ?? [], nowMs),
          hasDerivedKeys: node.hasDerivedKeys,
        })),
        isCut,
      };
    },
  } satisfies Partial<Handlers>;
}
