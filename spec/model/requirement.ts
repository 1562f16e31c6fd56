import type { Capability } from './capability.ts';
import type { Scenario } from './scenario.ts';
import type { Trace } from './trace.ts';

/** The situation never came up; the requirement was kept; or it was broken, at the observation with that index. */
export type Judgement = 'unexercised' | 'kept' | Broken;

/** How a requirement was broken: what was seen instead, and the index of the offending observation in the trace. */
export interface Broken {
  readonly broken: string;
  readonly at: number;
}

/** One rule: a sentence with its formula beside it. */
export interface Requirement<Id extends string = string, S = Scenario, T = Trace> {
  /** `chapter.sentence`, stable for ever. */
  readonly id: Id;
  /** MUST where a seed document states it, SHOULD where it is this specification's strengthening. */
  readonly level: 'MUST' | 'SHOULD';
  /** One sentence that can be tested, in the words of RFC 2119. */
  readonly text: string;
  /** What goes wrong in the field without it. */
  readonly why: string;
  /** Where it comes from: a seed document and section, or a public bug. */
  readonly source: string;
  /** What to look at in an implementation that breaks it. */
  readonly check: string;
  /** A runtime without these is not judged by it. */
  readonly needs: readonly Capability[];
  /** Whether a scenario can put the requirement to the test at all. */
  readonly when: (scenario: S) => boolean;
  /** The formula. Pure. */
  readonly judge: (scenario: S, trace: T) => Judgement;
}

/** The requirements about one subject. */
export interface Chapter<Name extends string = string, Id extends string = string> {
  readonly name: Name;
  readonly profile: 'in-process';
  /** What the chapter is about, in a paragraph. */
  readonly about: string;
  readonly requirements: readonly Requirement<Id>[];
}

/** Puts a chapter together; keeps the ids as literal types. */
export function chapter<const Name extends string, const Id extends `${Name}.${string}`>(name: Name, about: string, requirements: readonly Requirement<Id>[]): Chapter<Name, Id> {
  return { name, profile: 'in-process', about, requirements };
}

/** Judges each thing in turn: `unexercised` when there is none, broken at the first that is. */
export function every<X extends { readonly at: number }>(things: readonly X[], flaw: (thing: X) => string | false): Judgement {
  for (const thing of things) {
    const broken = flaw(thing);
    if (broken !== false) return { broken, at: thing.at };
  }
  return things.length === 0 ? 'unexercised' : 'kept';
}
