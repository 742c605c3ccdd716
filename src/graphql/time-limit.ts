import { type ExecutionResult, getOperationAST, OperationTypeNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { ServiceError } from '../contract/errors.ts';
import type { Services } from '../domain/context.ts';
import type { GraphContext } from './context.ts';
import { wireError } from './errors.ts';
import { told } from './mask.ts';

/**
 * What an execution gives, if it does so in time. Else nothing more of it begins; a statement that is under way is
 * let end. For reads alone: who changes something has to know what became of it, and a turn takes its model's time.
 * @throws {ServiceError} unavailable
 */
export async function inTime<T>(context: GraphContext, limitMs: number, execution: Promise<T> | T): Promise<T> {
  const { services, requestId } = context;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      context.giveUp();
      services.log.warn({ request_id: requestId }, 'a request took too long, and was given up');
      const seconds = limitMs / 1_000;
      reject(new ServiceError('unavailable', `This took more than ${seconds} s. Ask for less, or try again later.`));
    }, limitMs).unref();
  });
  return Promise.race([execution, late]).finally(() => clearTimeout(timer));
}

/** Queries end within the limit. */
export function timedQueries({ log }: Services, limitMs: number): Plugin<GraphContext> {
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const operation = getOperationAST(args.document, args.operationName);
      if (operation?.operation !== OperationTypeNode.QUERY) return;
      setExecuteFn(async (given) => {
        const context = given.contextValue as GraphContext;
        const execution = executeFn(given) as Promise<ExecutionResult>;
        return inTime(context, limitMs, execution).catch((error: unknown) => ({
          errors: [told(wireError(error, { log, requestId: context.requestId }))],
        }));
      });
    },
  };
}
