import { pluralsOf } from '../plurals.ts';
import type { ConnectTexts } from './en.ts';

const plural = pluralsOf('ar');
const after = (days: number) =>
  plural(days, {
    one: 'يوم واحد',
    two: 'يومين',
    few: `${days} أيام`,
    many: `${days} يومًا`,
    other: `${days} يوم`,
  });

/** The texts of the page that connects assistants, in Arabic. */
export const connect: ConnectTexts = {
  title: 'ربط مساعد',
  asks: (deployment) => `يطلب الوصول إلى محادثاتك مع ${deployment}.`,
  who: 'من يطلب',
  name: 'الاسم',
  nameNote: 'اختار التطبيق هذا الاسم لنفسه.',
  website: 'الموقع',
  verified: 'تم التحقق من هذا العنوان.',
  unverified: 'لم يتم التحقق منه',
  goesTo: 'يحصل على الوصول',
  thisComputer: (host) => `برنامج على هذا الحاسوب (${host})`,
  loopbackWarning: 'يحصل برنامج على هذا الحاسوب على الوصول، ولا يمكن لأحد التحقق من أي برنامج هو.',
  unverifiedWarning: (host) => `لم يتحقق أحد من هذا التطبيق. يحصل مالك ${host} على الوصول.`,
  onlyIfStarted: 'اسمح بذلك فقط إذا كنت قد بدأت هذا الربط بنفسك للتو.',
  account: 'حسابك',
  signedIn: (issuer) => `تم تسجيل الدخول في ${issuer}`,
  notYou: 'ليس حسابك؟ ارفض، وسجّل الخروج هناك، ثم ابدأ من جديد في التطبيق.',
  canDo: 'ما يمكن للتطبيق فعله',
  read: 'قراءة محادثاتك',
  write: 'إرسال رسائل باسمك وتغيير محادثاتك',
  lasts: (days) => `ينتهي الوصول بعد ${after(days)}. لإنهائه قبل ذلك، اقطع الربط في التطبيق.`,
  allow: 'سماح',
  deny: 'رفض',
  decided: 'يتابع التطبيق وفق إجابتك. إذا لم يُفتح، فعُد إليه بنفسك. يمكنك بعد ذلك إغلاق هذه الصفحة.',
  failed: 'تعذّر حفظ إجابتك. أعد المحاولة.',
  signInAgain: 'تسجيل الدخول مرة أخرى',
  expired: 'لم يعد تسجيل دخولك صالحًا.',
  unknown:
    'لا يوجد هنا ما تقرره. طلب التطبيق قديم جدًا، أو سبقت الإجابة عنه، أو بدأ في متصفح آخر. أعد الربط من التطبيق.',
  signInFailed: 'لم ينجح تسجيل الدخول. أعد المحاولة، أو أعد الربط من التطبيق.',
  signInDenied: 'أُلغي تسجيل الدخول أو رُفض.',
};
