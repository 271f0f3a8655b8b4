import type { RequestForm } from '../../interface/protocol.ts';

/** The version of the messages protocol in the body of Vertex AI's form. */
const RAW_PREDICT_VERSION = 'vertex-2023-10-16';

/** The fields of a body that name the model and the version. */
export function modelFields(upstreamModel: string, form: RequestForm | undefined): Record<string, string> {
  return form === 'raw-predict' ? versionFields(form) : { model: upstreamModel };
}

/** The field of a body with the protocol's version, where a form has one. */
export function versionFields(form: RequestForm | undefined): Record<string, string> {
  return form === 'raw-predict' ? { anthropic_version: RAW_PREDICT_VERSION } : {};
}

/** The path of a call under the base URL; Vertex AI's ends in `/publishers/anthropic`. */
export function generationPath(upstreamModel: string, isStream: boolean, form?: RequestForm): string {
  if (form !== 'raw-predict') return '/messages';
  return `/models/${encodeURIComponent(upstreamModel)}:${isStream ? 'streamRawPredict' : 'rawPredict'}`;
}

/** The path of a call that counts tokens. */
export function countPath(form: RequestForm | undefined): string {
  return form === 'raw-predict' ? '/models/count-tokens:rawPredict' : '/messages/count_tokens';
}
