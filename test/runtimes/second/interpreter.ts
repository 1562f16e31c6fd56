import { account } from './account.ts';
import { askModel, book, giveResults, hear, makeCall } from './agents.ts';
import { endComposite, goesInOrder, startPart, startParts } from './composites.ts';
import { above, type Activation, agentAt, compositeAt, type Event, type Outcome, type Path, post, ROOT, type Run } from './run.ts';
import { isOver, stop, stopOver } from './stops.ts';
import { tell } from './subscriber.ts';

/** Handles an event: first whoever subscribed is told of it, then what follows from it is done. */
export function handle(run: Run, event: Event): void {
  tell(run, event);
  const { path } = event;
  switch (event.kind) {
    case 'begun':
      goOn(run, path, () => (compositeAt(run, path) ? startParts(run, path) : askModel(run, path)));
      break;
    case 'said':
      book(run, path, event.reply);
      goOn(run, path, () => hear(run, path, event.reply));
      break;
    case 'called':
      goOn(run, path, () => makeCall(run, path));
      break;
    case 'ended':
      isOver(run, path);
      passUp(run, path, event.outcome);
      break;
    case 'stopped':
      stop(run, path, event.outcome);
      break;
  }
}

/** Nothing new is started where all work has to end. What is under way there is waited for, so that its cost is known. */
function goOn(run: Run, path: Path, next: () => void): void {
  const stopped = stopOver(run, path);
  if (stopped) post(run, { kind: 'ended', path, outcome: stopped.outcome });
  else next();
}

function passUp(run: Run, path: Path, outcome: Outcome): void {
  const asker = run.activations.get(above(path) ?? '');
  if (asker) {
    asker.outcomes[Number(path.slice(path.lastIndexOf('.') + 1))] = outcome;
    takeStock(run, asker);
  } else run.settle({ ...outcome, usage: account(run, ROOT), streamed: run.stream ? saidAt(run, ROOT) : undefined });
}

/** Goes on when something that an activation waited for is over: with its next turn or part, or to its end. */
function takeStock(run: Run, { path, outcomes }: Activation): void {
  const open = outcomes.indexOf(undefined);
  if (open < 0) goOn(run, path, () => (agentAt(run, path) ? giveResults(run, path) : endComposite(run, path)));
  else if (goesInOrder(run, path)) goOn(run, path, () => startPart(run, path, open));
}

function saidAt({ sayings }: Run, place: Path): string {
  return sayings.flatMap(({ path, text }) => (path === place ? [text] : [])).join('');
}
