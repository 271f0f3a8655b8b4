import type { ResponseFormat } from '../../canonical/request.ts';
import { openAiStrictSchema } from '../../canonical/strict-schema.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import type { ResponsesRequest } from './schema.ts';

type TextFormat = NonNullable<NonNullable<ResponsesRequest['text']>['format']>;

/** Reads `text.format`. */
export function decodeResponseFormat(format: TextFormat): ResponseFormat {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json_object':
      return { type: 'json' };
    case 'json_schema':
      return {
        type: 'json-schema',
        name: format.name,
        schema: format.schema,
        ...(typeof format.description === 'string' && { description: format.description }),
        ...(typeof format.strict === 'boolean' && { strict: format.strict }),
      };
    default:
      return format satisfies never;
  }
}

/** A schema must have a name here. */
const DEFAULT_NAME = 'response';

/**
 * Writes it.
 *
 * @param at the client's name of it
 */
export function encodeResponseFormat(
  format: ResponseFormat,
  at: string | undefined,
  diagnostics: Diagnostics,
): JsonRecord {
  switch (format.type) {
    case 'text':
      return { type: 'text' };
    case 'json':
      return { type: 'json_object' };
    case 'json-schema': {
      const { name, description, schema, strict } = format;
      const strictForm = strict === true ? openAiStrictSchema(schema) : undefined;
      if (strict === true && strictForm === undefined) {
        diagnostics.warn(at, 'not sent as strict, since its schema has optional properties or open objects');
      }
      return {
        type: 'json_schema',
        name: name ?? DEFAULT_NAME,
        schema: strictForm ?? schema,
        ...(description !== undefined && { description }),
        ...(strict !== undefined && { strict: strictForm !== undefined }),
      };
    }
    default:
      return format satisfies never;
  }
}
