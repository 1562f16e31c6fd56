import { Worker } from 'node:worker_threads';

/** How much processor time one case may take, in milliseconds. It takes about ten; waiting for a busy machine takes none. */
const CASE_MAY_TAKE = 5_000;

/** Looks on from a thread of its own, which a loop on the main thread does not stop. */
const ONLOOKER = `
  const { workerData: { begun, mayTake } } = require('node:worker_threads');
  let [last, since] = [-1, 0];
  const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  setInterval(() => {
    const now = Atomics.load(begun, 0);
    if (now !== last) [last, since] = [now, spent()];
    else if (spent() - since > mayTake) process.kill(process.pid, 'SIGKILL');
  }, 100);
`;

/** Kills this process when a case never ends and never yields. */
export class CaseLimit {
  readonly #begun = new Int32Array(new SharedArrayBuffer(4));
  readonly #onlooker = new Worker(ONLOOKER, { eval: true, workerData: { begun: this.#begun, mayTake: CASE_MAY_TAKE } });

  constructor() {
    this.#onlooker.unref();
  }

  /** Tells that a case begins. */
  begin(): void {
    Atomics.add(this.#begun, 0, 1);
  }
}
