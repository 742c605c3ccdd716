import { pluralsOf } from '../plurals.ts';
import type { Failures } from './en.ts';

const plural = pluralsOf('es');
export const seconds = (count: number) => plural(count, { one: '1 segundo', other: `${count} segundos` });

export const failures: Failures = {
  missing: {
    notFound: 'Página no encontrada',
    notFoundAdvice: 'Puede que el enlace ya no sea válido, o que este asistente esté desactivado.',
    limited: 'Demasiadas solicitudes',
    limitedAdvice: 'Espera un minuto y vuelve a cargar esta página.',
    unavailable: 'Servicio no disponible',
    unavailableAdvice: 'Vuelve a cargar esta página en un momento.',
    otherAdvice: 'Vuelve a cargarla en un momento.',
  },
  errors: {
    budget_reached: 'El asistente está en pausa. Inténtelo de nuevo más tarde.',
    client_action_required: 'El asistente espera una respuesta en otra ventana.',
    connection_error: 'Se perdió la conexión.',
    conversation_completed: 'Esta conversación ha terminado.',
    forbidden: 'No tienes acceso.',
    contentRejected: (limit) =>
      `No se puede enviar este mensaje. Tiene más de ${limit} caracteres o un archivo que no se puede leer.`,
    invalid_request: 'El servicio rechazó los datos. Cámbialos e inténtalo de nuevo.',
    fork_too_large: 'Esta conversación es demasiado larga para copiarla. Elige una respuesta anterior.',
    message_superseded: 'Este mensaje se reemplazó en otra ventana.',
    model_error: 'El asistente no pudo responder.',
    model_timeout: 'El asistente tardó demasiado en responder.',
    not_found: 'Esta conversación ya no está disponible.',
    origin_not_allowed: 'Este asistente no está disponible en este sitio.',
    challenge_required: 'El asistente no pudo comprobar que no eres un robot. Recarga la página.',
    other: 'Algo salió mal.',
    payload_too_large: 'Este mensaje es demasiado grande.',
    rateLimited: (count) => `Demasiados mensajes. Espera ${seconds(count)} e inténtalo de nuevo.`,
    rateLimitedLong: 'Demasiados mensajes. Espera un minuto e inténtalo de nuevo.',
    request_in_progress: 'El asistente aún trabaja en este mensaje.',
    run_failed: 'El asistente no pudo responder. Tu mensaje está guardado.',
    run_in_progress: 'El asistente aún trabaja en un mensaje anterior.',
    trigger_expired: 'Este enlace ha caducado.',
    trigger_required: 'Este asistente necesita un enlace.',
    unauthorized: 'Tu sesión ha caducado.',
    unavailable: 'El servicio no está disponible en este momento.',
    action_expired: 'Se acabó el tiempo para responder.',
    action_result_conflict: 'Ya se respondió en otra ventana.',
    internal_error: 'Algo salió mal en el servicio. Inténtalo de nuevo en un momento.',
    invalid_response: 'El servicio no está disponible en este momento.',
    run_expired: 'Se acabó el tiempo para responder.',
    run_interrupted: 'El asistente se interrumpió. Tu mensaje está guardado.',
    timeout: 'El servicio tardó demasiado en responder.',
    trigger_already_used: 'Este enlace ya se ha usado.',
  },
};
