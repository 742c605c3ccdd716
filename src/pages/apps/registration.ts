import type { RequestHandler, Response } from 'express';
import { LIMITS } from '../../contract/limits.ts';
import { registerApp } from '../../domain/access/apps/registered-apps.ts';
import type { Services } from '../../domain/context.ts';
import { readSmallJson } from '../../http/body/small-json.ts';
import { wireError } from '../../operation/errors.ts';

/** Registers an app by RFC 7591: as a public client with the code flow, whatever else it asks for. */
export function registration(services: Services): RequestHandler {
  return async (request, response) => {
    response.set('Cache-Control', 'no-store');
    try {
      const metadata = await readSmallJson(request, LIMITS.appDocumentBytes);
      response.status(201).json(registered(await registerApp(services, metadata)));
    } catch (error) {
      const { log } = services.process;
      const { status, param, message } = wireError(error, { log, requestId: String(request.id) });
      if (status !== 400) throw error;
      rejectMetadata(response, param, message);
    }
  };
}

function registered({ clientId, name, redirectUris, createdAt }: Awaited<ReturnType<typeof registerApp>>): object {
  return {
    client_id: clientId,
    client_id_issued_at: Math.floor(createdAt.getTime() / 1_000),
    ...(name !== null && { client_name: name }),
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

function rejectMetadata(response: Response, param: string | null, message: string): void {
  const error = param?.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata';
  response.status(400).json({ error, error_description: message });
}
