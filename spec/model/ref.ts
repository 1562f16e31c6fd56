import { once } from './once.ts';
import type { AgentTask, Call, Scenario, Task } from './scenario.ts';

/**
 * Every activation of a task has a name: the path of calls that led to it. `r0` is the task of the first run,
 * `r0/1.0` the one delegated by call 0 of its turn 1, `r0/1.0/#2` the third part of that composite. The name stands in
 * the prompt that hands the task over, so a model that is a pure function of its conversation knows what to do.
 */
export type Ref = string;

/** Names one tool call: the activation that makes it, then turn and index, as in `r0/1.0:0.2`. */
export type CallRef = string;

const REF = /\br\d+(?:\/(?:\d+\.\d+|#\d+))*/;
const CALL_REF = /^(r\d+(?:\/(?:\d+\.\d+|#\d+))*):(\d+)\.(\d+)$/;

/** Finds the first activation named in a text; `undefined` when there is none. */
export function refIn(text: string): Ref | undefined {
  return REF.exec(text)?.[0];
}

/** Words a prompt that hands over a task. */
export function promptFor(ref: Ref): string {
  return `Carry out task ${ref}.`;
}

/** Words the instructions of an agent. */
export function instructionsOf(agent: string): string {
  return `You are the ${agent}.`;
}

/** Words what a probe says when it is done. */
export function doneWith(call: CallRef): string {
  return `Did ${call}.`;
}

/** Words what a probe that fails throws. */
export function probeFlaw(call: CallRef): string {
  return `The probe failed on ${call}.`;
}

/** Words what a model that fails throws. */
export function modelFlaw(ref: Ref): string {
  return `The model failed on ${ref}.`;
}

/** Words why a part's prompt could not be made. */
export function promptFlaw(ref: Ref): string {
  return `The prompt of ${ref} cannot be made.`;
}

/** What a subscriber throws that is there to throw. */
export const SUBSCRIBER_FLAW = 'The subscriber failed.';

/** Words the answer that ends a task. */
export function answerOf(ref: Ref): string {
  return `Done with ${ref}.`;
}

/** A great deal of text: more than anything that shortens answers lets through, and not all of it in one byte a character. */
const MUCH = 'and so on … '.repeat(2_000);

/** Words the same answer at great length. */
export function longAnswerOf(ref: Ref): string {
  return `${answerOf(ref)} ${MUCH}${answerOf(ref)}`;
}

/** Tells whether a text is the answer of exactly that activation. */
export function isAnswerOf(text: string, ref: Ref): boolean {
  return text.includes(answerOf(ref));
}

export function callRef(ref: Ref, turn: number, index: number): CallRef {
  return `${ref}:${turn}.${index}`;
}

/** Takes a call's name apart; `undefined` when it is not one. */
export function parseCallRef(text: string): { ref: Ref; turn: number; index: number } | undefined {
  const match = CALL_REF.exec(text);
  return match ? { ref: match[1] as string, turn: Number(match[2]), index: Number(match[3]) } : undefined;
}

/** Names the activation that a delegating call leads to. */
export function calleeOf(call: CallRef): Ref {
  return call.replace(':', '/');
}

/** Names the call that led to a delegated activation; `undefined` for a root and for a part of a composite. */
export function callTo(ref: Ref): CallRef | undefined {
  const cut = ref.lastIndexOf('/');
  return cut < 0 || ref[cut + 1] === '#' ? undefined : `${ref.slice(0, cut)}:${ref.slice(cut + 1)}`;
}

/** Names the activation whose call or composite led to this one; `undefined` for a root. */
export function parentOf(ref: Ref): Ref | undefined {
  const cut = ref.lastIndexOf('/');
  return cut < 0 ? undefined : ref.slice(0, cut);
}

/** The index of the run that an activation belongs to. */
export function runOf(ref: Ref): number {
  return Number.parseInt(ref.slice(1), 10);
}

/** The path of an activation: `['r0', '1.0', '#2']`. */
function pathOf(ref: Ref): readonly string[] {
  return ref.split('/');
}

/** How many delegations lie between the root and an activation. Parts of composites do not count. */
export function depthOf(ref: Ref): number {
  let depth = 0;
  for (let slash = ref.indexOf('/'); slash >= 0; slash = ref.indexOf('/', slash + 1)) if (ref[slash + 1] !== '#') depth++;
  return depth;
}

/** Tells whether `ancestor` lies strictly above `ref`. */
export function isAbove(ancestor: Ref, ref: Ref): boolean {
  return ref.startsWith(`${ancestor}/`);
}

/** The activations above one, root first. */
export function ancestorsOf(ref: Ref): readonly Ref[] {
  const path = pathOf(ref);
  return path.slice(1).map((_, index) => path.slice(0, index + 1).join('/'));
}

/** The scripts from the root to an activation, root first; `undefined` when the scenario has no such activation. */
function scriptsTo(scenario: Scenario, ref: Ref): readonly Task[] | undefined {
  const known = scriptsIn(scenario);
  if (known.has(ref)) return known.get(ref);
  const parent = parentOf(ref);
  const above = parent === undefined ? undefined : scriptsTo(scenario, parent);
  const root = scenario.runs[runOf(ref)];
  const found = parent === undefined ? root && [root] : above && descend(above, ref.slice(parent.length + 1));
  known.set(ref, found);
  return found;
}

/** The scripts that were looked up before. */
const scriptsIn = once((_: Scenario) => new Map<Ref, readonly Task[] | undefined>());

/** The script of an activation; `undefined` when the scenario has no such activation. */
export function scriptOf(scenario: Scenario, ref: Ref): Task | undefined {
  return scriptsTo(scenario, ref)?.at(-1);
}

/** The call with that name; `undefined` when the scenario has no such call. */
export function callAt(scenario: Scenario, name: CallRef): Call | undefined {
  const parsed = parseCallRef(name);
  const script = parsed && scriptOf(scenario, parsed.ref);
  return script?.kind === 'agent' ? turnAt(script, parsed?.turn ?? 0)?.[parsed?.index ?? 0] : undefined;
}

/** The calls of one turn of a task, `undefined` when the task ends there. A task that never ends starts over. */
export function turnAt(script: AgentTask, turn: number): readonly Call[] | undefined {
  const { turns, ending } = script;
  return ending === 'forever' && turns.length > 0 ? turns[turn % turns.length] : turns[turn];
}

function descend(stack: readonly Task[], step: string): readonly Task[] | undefined {
  const script = stack.at(-1) as Task;
  if (step.startsWith('#')) {
    if (script.kind === 'agent') return undefined;
    const index = Number(step.slice(1));
    const part = script.kind === 'loop' ? script.parts[0] : script.parts[index];
    return part && [...stack, part];
  }
  if (script.kind !== 'agent') return undefined;
  const [turn, index] = step.split('.').map(Number) as [number, number];
  const call = turnAt(script, turn)?.[index];
  if (call?.kind === 'delegate') return [...stack, call.task];
  if (call?.kind === 'recurse' && call.up <= stack.length) return stack.slice(0, stack.length - call.up + 1);
  return undefined;
}
