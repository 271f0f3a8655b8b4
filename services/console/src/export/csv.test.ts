import { describe, expect, it } from 'vitest';
import { csvRecord } from './csv.ts';

describe('record of CSV', () => {
  it('quotes what would end a cell, and doubles quotes', () => {
    expect(csvRecord(['a', 'b,c', 'say "hi"', 'two\nlines', '', null, 12, true])).toBe(
      'a,"b,c","say ""hi""","two\nlines",,,12,true\r\n',
    );
  });

  it.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\tx', '-x'])('makes %j text for spreadsheets', (text) => {
    expect(csvRecord([text])).toBe(`'${text}\r\n`);
  });

  it('protects a text that begins with a formula and needs quotes', () => {
    expect(csvRecord(['=HYPERLINK("http://x","y")'])).toBe(`"'=HYPERLINK(""http://x"",""y"")"\r\n`);
    expect(csvRecord(['\r=1'])).toBe(`"'\r=1"\r\n`);
  });

  it('keeps numbers, negative ones too', () => {
    expect(csvRecord(['-0.0004125', '12.5', -3])).toBe('-0.0004125,12.5,-3\r\n');
  });
});
