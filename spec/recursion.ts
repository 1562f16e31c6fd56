import { chapter } from './model/requirement.ts';

export const recursion = chapter('recursion', '', []);
