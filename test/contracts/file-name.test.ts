import { describe, expect, it } from 'vitest';
import { fileNameIn, withFileName, withoutParameters } from '../../src/contract/file-name.ts';
import { LIMITS } from '../../src/contract/limits.ts';
import { messageContent } from '../../src/domain/message-content.ts';

const accepted = (mimeType: string) => messageContent.safeParse([{ type: 'data', mimeType, data: 'YQ==' }]).success;

describe('the name of a file in its media type', () => {
  it.each([
    'letter.txt',
    'Übersicht (final) 2026.pdf',
    'a "quoted" \\ name; charset=x.png',
    '写真.jpeg',
    '100%.csv',
    '%20.txt',
  ])('keeps %s, in a form that the service accepts', (name) => {
    const mimeType = withFileName('text/plain', name);
    expect(accepted(mimeType)).toBe(true);
    expect(fileNameIn(mimeType)).toBe(name);
    expect(withoutParameters(mimeType)).toBe('text/plain');
  });

  it('stays next to other parameters', () => {
    const mimeType = withFileName('audio/webm;codecs=opus', 'voice.webm');
    expect(accepted(mimeType)).toBe(true);
    expect(fileNameIn(mimeType)).toBe('voice.webm');
    expect(withoutParameters(mimeType)).toBe('audio/webm');
  });

  it.each(['x'.repeat(300), '写'.repeat(100)])(
    'is cut before its extension if the media type would be too long',
    (stem) => {
      const mimeType = withFileName('image/png', `${stem}.png`);
      expect(mimeType.length).toBeLessThanOrEqual(LIMITS.mimeTypeLength);
      expect(accepted(mimeType)).toBe(true);
      expect(fileNameIn(mimeType)).toMatch(/^[x写]+\.png$/);
    },
  );

  it('is left out if nothing of it remains', () => {
    expect(withFileName('image/png', ' \u200b\n')).toBe('image/png');
    expect(fileNameIn('image/png')).toBeUndefined();
    expect(fileNameIn('image/png; name=""')).toBeUndefined();
  });

  it('is read without invisible characters, even if it is not encoded', () => {
    expect(fileNameIn('image/png; name="a%E2%80%AEgnp.exe"')).toBe('agnp.exe');
    expect(fileNameIn('image/png; name="50%"')).toBe('50%');
  });
});
