import type { CommanderError } from 'commander';

/** Prints why a command could not be carried out: one line, and with `debug` the stack trace. */
export function printFailure(error: unknown, debug: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`delegation-tck: ${message.replace(/\s*\n\s*/g, ' ').trim()}`);
  if (debug && error instanceof Error) console.error(traceOf(error));
}

/** Turns what commander says of bad usage into one line that says what to do. */
export function usageLine({ message }: CommanderError): string {
  const said = message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}${/[.?)]$/.test(said) ? '' : '.'} \`delegation-tck --help\` tells what can be given.`;
}

function traceOf(error: Error): string {
  return `${error.stack}${error.cause instanceof Error ? `\nCaused by: ${traceOf(error.cause)}` : ''}`;
}
