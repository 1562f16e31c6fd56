import type { Family } from '../family.ts';

/** What subscribers are told. */
export const lineageFamilies: readonly Family[] = [];
