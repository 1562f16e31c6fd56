import type { RunEvent } from './run-event.ts';

/** Hears of what happens in runs. What it throws, or rejects with, is nobody's concern. */
export type RunListener = (event: RunEvent) => unknown;

/** Tells subscribers what happens in the runs that are started with it. */
export interface Bus {
  /** Returns what ends the subscription. */
  subscribe(listener: RunListener): () => void;
  /** Tells all who are subscribed, in the order of their subscriptions. Never throws. */
  emit(event: RunEvent): void;
}

/** Makes a bus. Runs that share one are told apart by their events' `rootRunId`. */
export function createBus(): Bus {
  // Subscriptions, not listeners: the same function may be subscribed twice.
  const subscriptions = new Set<{ readonly listener: RunListener }>();
  return Object.freeze({
    subscribe(listener) {
      const subscription = { listener };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    emit(event) {
      for (const { listener } of [...subscriptions]) tell(listener, event);
    },
  } satisfies Bus);
}

/**
 * A listener's failure stays with it: it harms neither the run nor the other listeners.
 * @requirement lineage.subscribers-cannot-harm
 */
function tell(listener: RunListener, event: RunEvent): void {
  try {
    Promise.resolve(listener(event)).catch(() => {});
  } catch {
    // Whoever listens has no way to be told.
  }
}
