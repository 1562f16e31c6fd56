import type { Family } from '../family.ts';

/** What goes wrong. */
export const failureFamilies: readonly Family[] = [];
