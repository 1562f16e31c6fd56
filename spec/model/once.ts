/**
 * Remembers what a pure question about a scenario or a trace answered last: many formulas ask the same of one case, one
 * after the other. Remembering more would only keep memory busy.
 */
export function once<A extends object, R>(question: (about: A) => R): (about: A) => R {
  let last: { readonly about: A; readonly answer: R } | undefined;
  return (about) => {
    if (last?.about !== about) last = { about, answer: question(about) };
    return last.answer;
  };
}
