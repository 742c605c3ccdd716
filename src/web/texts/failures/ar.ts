import { pluralsOf } from '../plurals.ts';
import type { Failures } from './en.ts';

const plural = pluralsOf('ar');
export const seconds = (count: number) =>
  plural(count, {
    one: 'ثانية واحدة',
    two: 'ثانيتين',
    few: `${count} ثوانٍ`,
    many: `${count} ثانية`,
    other: `${count} ثانية`,
  });

export const failures: Failures = {
  missing: {
    notFound: 'لم يتم العثور على الصفحة',
    notFoundAdvice: 'قد يكون الرابط قديمًا، أو أن هذا المساعد متوقف.',
    limited: 'طلبات كثيرة جدًا',
    limitedAdvice: 'انتظر دقيقة، ثم أعد تحميل هذه الصفحة.',
    unavailable: 'الخدمة غير متاحة',
    unavailableAdvice: 'أعد تحميل هذه الصفحة بعد لحظات.',
    otherAdvice: 'أعد تحميل هذه الصفحة بعد لحظات.',
  },
  errors: {
    budget_reached: 'المساعد متوقف مؤقتًا. أعد المحاولة لاحقًا.',
    client_action_required: 'ينتظر المساعد إجابة في نافذة أخرى.',
    connection_error: 'انقطع الاتصال.',
    conversation_completed: 'انتهت هذه المحادثة.',
    forbidden: 'ليس لديك إذن بالوصول.',
    fork_too_large: 'هذه المحادثة أطول من أن تُنسخ. اختر ردًا سابقًا.',
    message_superseded: 'تم استبدال هذه الرسالة في نافذة أخرى.',
    model_error: 'تعذّر على المساعد الرد.',
    model_timeout: 'استغرق المساعد وقتًا طويلًا للرد.',
    not_found: 'لم تعد هذه المحادثة متاحة.',
    origin_not_allowed: 'هذا المساعد غير متاح في هذا الموقع.',
    challenge_required: 'تعذّر على المساعد التحقق من أنك لست روبوتًا. أعد تحميل الصفحة.',
    other: 'حدث خطأ ما.',
    payload_too_large: 'حجم هذه الرسالة كبير جدًا.',
    contentRejected: (limit) => `لا يمكن إرسال هذه الرسالة. عدد أحرفها أكبر من ${limit}، أو فيها ملف لا يمكن قراءته.`,
    invalid_request: 'رفضت الخدمة هذا الإدخال. عدّله، ثم أعد المحاولة.',
    rateLimited: (count) => `رسائل كثيرة جدًا. انتظر ${seconds(count)}، ثم أعد المحاولة.`,
    rateLimitedLong: 'رسائل كثيرة جدًا. انتظر دقيقة، ثم أعد المحاولة.',
    request_in_progress: 'لا يزال المساعد يعمل على هذه الرسالة.',
    run_failed: 'تعذّر على المساعد الرد. تم حفظ رسالتك.',
    run_in_progress: 'لا يزال المساعد يعمل على رسالة سابقة.',
    trigger_expired: 'انتهت صلاحية هذا الرابط.',
    trigger_required: 'يتطلب هذا المساعد رابطًا.',
    unauthorized: 'انتهت جلستك.',
    unavailable: 'الخدمة غير متاحة حاليًا.',
    action_expired: 'انتهى وقت الإجابة.',
    action_result_conflict: 'تمت الإجابة عن هذا في نافذة أخرى.',
    internal_error: 'حدث خطأ في الخدمة. أعد المحاولة بعد لحظات.',
    invalid_response: 'الخدمة غير متاحة حاليًا.',
    run_expired: 'انتهى وقت الإجابة.',
    run_interrupted: 'توقف المساعد قبل أن يكمل. تم حفظ رسالتك.',
    timeout: 'استغرقت الخدمة وقتًا طويلًا للاستجابة.',
    trigger_already_used: 'سبق استخدام هذا الرابط.',
  },
};
