/** What one measure found. */
export interface Measured {
  readonly name: string;
  readonly value: number;
  /** The most that is still good. */
  readonly bar: number;
  /** What the value is counted in; a ratio of two costs has no unit. */
  readonly unit?: 's' | 'bytes' | 'faults';
}

/** Tells whether a value is within its bar. */
export function isKept({ value, bar }: Measured): boolean {
  return value <= bar;
}
