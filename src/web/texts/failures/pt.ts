import { pluralsOf } from '../plurals.ts';
import type { Failures } from './en.ts';

const plural = pluralsOf('pt');
export const seconds = (count: number) => plural(count, { one: `${count} segundo`, other: `${count} segundos` });

export const failures: Failures = {
  missing: {
    notFound: 'Página não encontrada',
    notFoundAdvice: 'O link pode estar desatualizado, ou este assistente está desativado.',
    limited: 'Solicitações demais',
    limitedAdvice: 'Espere um minuto e recarregue esta página.',
    unavailable: 'Serviço indisponível',
    unavailableAdvice: 'Recarregue esta página em instantes.',
    otherAdvice: 'Recarregue esta página em instantes.',
  },
  errors: {
    budget_reached: 'O assistente está em pausa. Tente novamente mais tarde.',
    client_action_required: 'O assistente está esperando uma resposta em outra janela.',
    connection_error: 'A conexão foi perdida.',
    conversation_completed: 'Esta conversa terminou.',
    forbidden: 'Você não tem acesso.',
    fork_too_large: 'Esta conversa é longa demais para copiar. Escolha uma resposta anterior.',
    message_superseded: 'Esta mensagem foi substituída em outra janela.',
    model_error: 'O assistente não conseguiu responder.',
    model_timeout: 'O assistente demorou demais para responder.',
    not_found: 'Esta conversa não está mais disponível.',
    origin_not_allowed: 'Este assistente não está disponível neste site.',
    challenge_required: 'O assistente não conseguiu verificar se você não é um robô. Recarregue a página.',
    other: 'Algo deu errado.',
    payload_too_large: 'Esta mensagem é grande demais.',
    contentRejected: (limit) =>
      `Não é possível enviar esta mensagem. Ela tem mais de ${limit} caracteres ou um arquivo que não pode ser lido.`,
    invalid_request: 'O serviço recusou este conteúdo. Altere-o e tente novamente.',
    rateLimited: (count) => `Mensagens demais. Espere ${seconds(count)} e tente novamente.`,
    rateLimitedLong: 'Mensagens demais. Espere um minuto e tente novamente.',
    request_in_progress: 'O assistente ainda está trabalhando nesta mensagem.',
    run_failed: 'O assistente não conseguiu responder. Sua mensagem está salva.',
    run_in_progress: 'O assistente ainda está trabalhando em uma mensagem anterior.',
    trigger_expired: 'Este link expirou.',
    trigger_required: 'Este assistente precisa de um link.',
    unauthorized: 'Sua sessão expirou.',
    unavailable: 'O serviço não está disponível no momento.',
    action_expired: 'O tempo para responder terminou.',
    action_result_conflict: 'Isto foi respondido em outra janela.',
    internal_error: 'Algo deu errado no serviço. Tente novamente em instantes.',
    invalid_response: 'O serviço não está disponível no momento.',
    run_expired: 'O tempo para responder terminou.',
    run_interrupted: 'O assistente foi interrompido. Sua mensagem está salva.',
    timeout: 'O serviço demorou demais para responder.',
    trigger_already_used: 'Este link já foi usado.',
  },
};
