import type { Family } from '../family.ts';

/** Who is shown what. */
export const conversationFamilies: readonly Family[] = [];
