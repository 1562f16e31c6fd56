import { chapter } from './model/requirement.ts';

export const usage = chapter('usage', '', []);
