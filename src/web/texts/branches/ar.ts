import { pluralsOf } from '../plurals.ts';
import type { branches as en } from './en.ts';

const plural = pluralsOf('ar');

export const branches: typeof en = {
  edit: 'تعديل',
  edited: 'الرسالة المعدّلة',
  forked: 'هذه نسخة من المحادثة.',
  editTitle: 'تعديل الرسالة',
  fork: 'التفرّع من هنا',
  variants: 'صيغ هذه الرسالة',
  previous: 'الصيغة السابقة',
  next: 'الصيغة التالية',
  variantOf: (position: number, count: number) => `الصيغة ${position} من ${count}`,
  effectsTitle: 'هل تريد الاستبدال رغم ذلك؟',
  effectsLead: 'نُفِّذت هذه الإجراءات بالفعل، وتبقى تغييراتها. يتلقى المساعد هذه القائمة.',
  effects: 'الإجراءات',
  effectsConfirm: 'استبدال',
  moreEffects: (count: number) =>
    plural(count, {
      one: 'إجراء واحد آخر',
      two: 'إجراءان آخران',
      few: `${count} إجراءات أخرى`,
      many: `${count} إجراءً آخر`,
      other: `${count} إجراء آخر`,
    }),
  inFork: 'تستمر المحادثة بعد هذه الرسالة، لذلك توجد الصيغة في نسخة منها.',
};
