import { chapter } from './model/requirement.ts';

export const fork = chapter('fork', '', []);
