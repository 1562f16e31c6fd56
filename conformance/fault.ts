/** Something that is neither bad input nor a verdict: the kit or an adapter broke, and there is nothing to report. Exits with 3. */
export class Fault extends Error {
  readonly code = 'fault';
}
