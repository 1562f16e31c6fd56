/** The source of a formula, without the margin that it has where it stands and the blanks that stripped types leave. */
export function sourceOf(formula: (...args: never) => unknown): readonly string[] {
  const [first = '', ...rest] = formula.toString().split('\n');
  const margin = Math.min(...rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length));
  return [first, ...rest.map((line) => line.slice(margin))].map((line) => line.replace(/(?<=\S) {2,}(?=\S)/g, ' ').trimEnd());
}
