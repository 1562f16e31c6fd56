/** Bad input: the message says what was given and what to do. It is shown without a stack trace and exits with 3. */
export class UsageError extends Error {
  readonly code = 'usage';
}

/** Tells a usage error apart, also one from another copy of this module. */
export function isUsageError(error: unknown): error is UsageError {
  return error instanceof Error && 'code' in error && error.code === 'usage';
}
