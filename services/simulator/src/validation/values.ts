import { z } from 'zod';

/** Base64 with its padding. */
export const base64 = z
  .string()
  .min(1)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'expected base64-encoded data');

/** A web URL. */
export const webUrl = z.string().regex(/^https?:\/\/[^\s]+$/, 'expected a URL that begins with http:// or https://');

/** An image as a URL or as inline data. */
export const imageUrl = z
  .string()
  .regex(
    /^(https?:\/\/\S+|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$/,
    'expected a URL, or a base64-encoded data URL with a MIME type of image/png, image/jpeg, image/gif or image/webp',
  );

/** A file as inline data. */
export const fileDataUrl = z
  .string()
  .regex(/^data:[\w.+-]+\/[\w.+-]+;base64,[A-Za-z0-9+/]+={0,2}$/, 'expected a base64-encoded data URL');

/** A valid tool name. */
export const toolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'expected a string that matches ^[a-zA-Z0-9_-]{1,64}$');

/** A number within inclusive bounds. */
export function within(min: number, max: number) {
  return z.number().min(min).max(max);
}

/** The end user's id at OpenAI. https://platform.openai.com/docs/api-reference/responses/create */
export const userId = z
  .string()
  .superRefine((value, context) => {
    if (value.length <= 64) return;
    const text = `string too long. Expected a string with maximum length 64, but got a string with length ${value.length} instead`;
    context.addIssue({ code: 'custom', message: text });
  })
  .nullish();
