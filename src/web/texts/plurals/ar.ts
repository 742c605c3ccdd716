import { pluralsOf } from '../plurals.ts';

const plural = pluralsOf('ar');

/** Numbers with their nouns in Arabic. Each noun is in the case that it has after a preposition or as an object. */
export const answers = (count: number) =>
  plural(count, {
    one: 'إجابة واحدة',
    two: 'إجابتين',
    few: `${count} إجابات`,
    many: `${count} إجابة`,
    other: `${count} إجابة`,
  });

export const characters = (count: number) =>
  plural(count, { one: 'حرف واحد', two: 'حرفان', few: `${count} أحرف`, many: `${count} حرفًا`, other: `${count} حرف` });

export const files = (count: number) =>
  plural(count, {
    one: 'ملفًا واحدًا',
    two: 'ملفين',
    few: `${count} ملفات`,
    many: `${count} ملفًا`,
    other: `${count} ملف`,
  });

export const questions = (count: number) =>
  plural(count, {
    one: 'سؤال واحد',
    two: 'سؤالين',
    few: `${count} أسئلة`,
    many: `${count} سؤالًا`,
    other: `${count} سؤال`,
  });
