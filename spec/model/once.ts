/** Remembers what a pure question about a scenario or a trace answers, for as long as that lives: many formulas ask the same. */
export function once<A extends object, R>(question: (about: A) => R): (about: A) => R {
  const answers = new WeakMap<A, { readonly answer: R }>();
  return (about) => {
    const known = answers.get(about);
    if (known) return known.answer;
    const answer = question(about);
    answers.set(about, { answer });
    return answer;
  };
}
