/** Whether documents are also taken by their id, and whether no others are. */
export const TRUST_MODES = ['off', 'prefer', 'only'] as const;

export type TrustMode = (typeof TRUST_MODES)[number];
