import type { NativeCount } from '../../interface/protocol.ts';
import { numberOf } from '../../json/lossless.ts';
import { isRecord, nonNegativeInteger, parseJson } from '../../json/record.ts';
import { bareModel, modelPath } from '../shared/model.ts';

/** Google's own `countTokens`. */
export const nativeCount: NativeCount = {
  path: (model) => `${modelPath(model)}:countTokens`,
  encodeRequest: (request, model) => ({
    generateContentRequest: { ...request, model: `models/${bareModel(model)}` },
  }),
  decode: (body) => {
    const response = parseJson(body.toString('utf8'));
    return isRecord(response) ? nonNegativeInteger(numberOf(response['totalTokens'])) : undefined;
  },
};
