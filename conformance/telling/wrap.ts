import { stripVTControlCharacters } from 'node:util';

/** How wide a story may be. */
export const WIDTH = 80;

/**
 * Breaks a text at spaces and puts it behind a margin; later lines hang below the first. No line is longer than `WIDTH`,
 * unless a single word is.
 */
export function hang(first: string, text: string, rest: string = ' '.repeat(first.length)): readonly string[] {
  const lines: string[] = [];
  let [margin, words] = [first, ''];
  for (const word of text.trim().split(/\s+/)) {
    if (words !== '' && stripVTControlCharacters(margin).length + words.length + 1 + word.length > WIDTH) {
      lines.push(margin + words);
      [margin, words] = [rest, ''];
    }
    words = words === '' ? word : `${words} ${word}`;
  }
  return [...lines, margin + words];
}
