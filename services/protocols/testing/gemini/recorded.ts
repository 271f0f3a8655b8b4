/** A stream as Google sends it: spaces after colons, CR LF, cumulative usage, no end event. */
export const RECORDED: Buffer = Buffer.from(
  [
    {
      candidates: [{ content: { parts: [{ text: '**Zwölf**', thought: true }], role: 'model' }, index: 0 }],
      usageMetadata: { promptTokenCount: 12, totalTokenCount: 20, thoughtsTokenCount: 8 },
    },
    {
      candidates: [{ content: { parts: [{ text: 'Es ist ' }], role: 'model' }, index: 0 }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 3, totalTokenCount: 23, thoughtsTokenCount: 8 },
    },
    {
      candidates: [{ content: { parts: [{ text: 'wärmer 🙂.' }], role: 'model' }, index: 0 }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 6, totalTokenCount: 26, thoughtsTokenCount: 8 },
    },
    {
      candidates: [
        {
          content: {
            parts: [
              { functionCall: { name: 'weather', args: { city: 'Köln' } }, thoughtSignature: 'CiQB+/=' },
              { functionCall: { id: 'fc-1', name: 'time' } },
            ],
            role: 'model',
          },
          finishReason: 'STOP',
          index: 0,
          citationMetadata: { citations: [{ startIndex: 0, endIndex: 6, uri: 'https://x.example' }] },
        },
      ],
      usageMetadata: {
        promptTokenCount: 12,
        candidatesTokenCount: 30,
        totalTokenCount: 50,
        thoughtsTokenCount: 8,
        cachedContentTokenCount: 4,
      },
    },
  ]
    .map((chunk) => ({ ...chunk, modelVersion: 'gemini-9', responseId: 'r-1' }))
    .map((chunk) => `data: ${JSON.stringify(chunk).replaceAll('":', '": ')}\r\n\r\n`)
    .join(''),
);
