import type { Observation, Placed, Trace } from '../../spec/model/trace.ts';

/** Something that only an adapter, or the kit, can have done wrong. It is never a verdict on the runtime. */
export class AdapterFault extends Error {
  readonly code = 'adapter-fault';
}

/** Writes down what the instruments see. It counts every sign of life, so that quiet can be told from work. */
export class Recorder {
  readonly #trace: Placed[] = [];
  #fault: AdapterFault | undefined;
  #closed = false;
  /** Grows with every sign of life. */
  activity = 0;

  record(observation: Observation): void {
    this.activity++;
    if (!this.#closed) this.#trace.push({ ...observation, at: this.#trace.length });
  }

  /** Notes that the adapter misused an instrument, and returns the error to throw at it. The first fault is kept. */
  fault(message: string): AdapterFault {
    this.activity++;
    const fault = new AdapterFault(message);
    this.#fault ??= fault;
    return fault;
  }

  /** Ends the case: what comes later is no longer written down. */
  close(): void {
    this.#closed = true;
  }

  get closed(): boolean {
    return this.#closed;
  }

  get trace(): Trace {
    return this.#trace;
  }

  get firstFault(): AdapterFault | undefined {
    return this.#fault;
  }
}
