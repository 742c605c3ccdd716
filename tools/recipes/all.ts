import { CODE_RECIPES } from './code.ts';
import { CONTRACT_RECIPES } from './contracts.ts';
import type { Recipe } from './recipe.ts';

export const RECIPES: readonly Recipe[] = [...CODE_RECIPES, ...CONTRACT_RECIPES];
