import { ANY_JSON, jsonBySchema } from '../../canonical/json-instruction.ts';
import type { CanonicalRequest } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { strictSchema } from './strict-schema.ts';

/** How the output's format is requested. */
export interface EncodedFormat {
  /** Members of `output_config`. */
  readonly config: JsonRecord;
  /** Blocks after the client's instructions, for a format that Anthropic cannot hold the model to. */
  readonly instructions: readonly JsonRecord[];
}

const TEXT: EncodedFormat = { config: {}, instructions: [] };

/**
 * The format of the output. Anthropic holds a model only to schemas whose objects list all their properties, so for other
 * schemas and for JSON without one, the model is instructed instead.
 */
export function encodeFormat(
  { responseFormat, names }: CanonicalRequest,
  { jsonSchema }: ModelParameters,
  diagnostics: Diagnostics,
): EncodedFormat {
  switch (responseFormat?.type) {
    case undefined:
    case 'text':
      return TEXT;
    case 'json':
      diagnostics.warn(
        names.responseFormat,
        'the model is instructed to respond in JSON, which its provider enforces only with a schema',
      );
      return instructed(ANY_JSON);
    case 'json-schema': {
      const { schema } = responseFormat;
      const strictForm = jsonSchema === false ? undefined : strictSchema(schema);
      if (strictForm === undefined) {
        const reason =
          jsonSchema === false
            ? 'its provider enforces none'
            : 'its provider enforces only schemas whose objects list all their properties';
        diagnostics.warn(names.responseFormat, `the model is instructed to follow the schema, since ${reason}`);
        return instructed(jsonBySchema(schema));
      }
      noteChanges(strictForm, names.responseFormat, diagnostics);
      return { config: { format: { type: 'json_schema', schema: strictForm.schema } }, instructions: [] };
    }
    default:
      return responseFormat satisfies never;
  }
}

function instructed(text: string): EncodedFormat {
  return { config: {}, instructions: [{ type: 'text', text }] };
}

function noteChanges(
  { reported, isClosed }: NonNullable<ReturnType<typeof strictSchema>>,
  at: string | undefined,
  diagnostics: Diagnostics,
): void {
  if (reported.size > 0) diagnostics.warn(at, `${[...reported].join(', ')}: described to the model, but not enforced`);
  if (isClosed) {
    diagnostics.warn(
      at,
      'objects with additionalProperties are sent without, which this provider requires to enforce a schema',
    );
  }
}
