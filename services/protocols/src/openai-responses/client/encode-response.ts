import { detachOpaques } from '../../canonical/opaque-carrier.ts';
import type { CanonicalResponse } from '../../canonical/response.ts';
import type { FinalUsage, ResponseContext } from '../../interface/protocol.ts';
import { encodeFinish } from '../shared/finish-reason.ts';
import type { ResponsesRequest } from '../shared/schema.ts';
import type { DeclaredTools } from '../shared/tool-names.ts';
import { encodeUsage } from '../shared/usage.ts';
import { asksForSummary, encodeOutput } from './encode-output.ts';
import { encodeResponseObject } from './response-json.ts';

/** Encodes a buffered response. It has one choice, the maximum of this protocol. */
export function encodeResponse(
  response: CanonicalResponse,
  final: FinalUsage,
  context: ResponseContext,
  request: ResponsesRequest,
  declaredTools: DeclaredTools,
): Buffer {
  const choice = response.choices[0];
  const ending = encodeFinish(choice?.finish.reason ?? 'other');
  const output = encodeOutput(
    detachOpaques(choice?.parts ?? [], { endsInReasoning: true }),
    choice?.logprobs ?? [],
    ending.status,
    {
      newId: context.newId,
      declaredTools,
      showsSummary: asksForSummary(request),
    },
  );
  const head = { id: `resp_${context.newId()}`, model: context.model, created: context.created };
  const json = encodeResponseObject(request, head, {
    status: ending.status,
    completedAt: ending.status === 'completed' ? (context.now?.() ?? context.created) : null,
    incompleteReason: ending.status === 'incomplete' ? ending.reason : undefined,
    tier: final.usage.options?.service_tier,
    output,
  });
  return Buffer.from(withUsage(json, encodeUsage(final.usage, final.cost)));
}

/** The JSON text of a response object with its usage, whose cost is an exact number. */
export function withUsage(response: object, usageJson: string): string {
  return `${JSON.stringify(response).slice(0, -1)},"usage":${usageJson}}`;
}
