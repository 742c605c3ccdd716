// How the baselines of a turn tell generated values from others in recorded statements.

export const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
const TYPE_ID = /[a-z]+_[0-9a-hjkmnp-tv-z]{26}/;

/** Splits a text at its IDs and keeps them. */
export const IDS = new RegExp(`(${UUID.source}|${TYPE_ID.source})`);
export const TIMESTAMP = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/;
