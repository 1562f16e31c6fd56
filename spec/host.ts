import { chapter } from './model/requirement.ts';

export const host = chapter('host', '', []);
