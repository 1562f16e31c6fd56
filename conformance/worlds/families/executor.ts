import type { Family } from '../family.ts';

/** Whose tool is called. */
export const executorFamilies: readonly Family[] = [];
