/** How wide a story may be. */
export const WIDTH = 80;

/** Breaks a text at spaces so that no line is longer than `width`; a longer word stands alone. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Wraps a text and puts it behind a margin; later lines hang below the first. */
export function hang(first: string, text: string, rest: string = ' '.repeat(first.length)): readonly string[] {
  return wrap(text, WIDTH - rest.length).map((line, index) => `${index === 0 ? first : rest}${line}`);
}
