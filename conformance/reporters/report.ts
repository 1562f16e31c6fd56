import type { Compared } from '../baseline.ts';
import type { Told } from '../job.ts';
import { renderConsole } from './console.ts';
import { renderJson } from './json.ts';
import { renderJunit } from './junit.ts';

/** All that there is to report of a certification. */
export interface Report extends Told {
  readonly compared: Compared;
}

const REPORTERS = {
  console: renderConsole,
  json: ({ certificate }: Report): string => renderJson(certificate),
  junit: (report: Report): string => renderJunit(report),
} as const;

/** Renders a report as text that ends with a new line. */
export function render(reporter: keyof typeof REPORTERS, report: Report, { colour }: { readonly colour: boolean }): string {
  return REPORTERS[reporter](report, colour);
}
