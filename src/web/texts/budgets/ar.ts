import type { budgets as english } from './en.ts';

export const budgets: typeof english = {
  add: 'زيادة الميزانية بمقدار',
  addHint: (unit) => `الوحدة: ${unit}. اترك الحقل فارغًا إذا أصبحت الميزانية كافية من جديد.`,
  amount: 'عملة مساحة العمل',
  end: 'إنهاء الدور',
  lead: (spent, limit) => `تم إنفاق ${spent} من ${limit}. ينتظر الدور حتى تُزاد ميزانية هذه الفترة.`,
  needed: (most) => `تكلّف الخطوة التالية ${most} كحد أقصى.`,
  notNumber: 'أدخل رقمًا أكبر من 0.',
  raise: 'زيادة ومتابعة',
  title: 'هل تريد زيادة الميزانية؟',
  tokens: 'رموز',
  pausing: 'المساعد متوقف مؤقتًا',
  pausingHint: 'يمكنك مغادرة هذه الصفحة: تستمر المحادثة لاحقًا.',
};
