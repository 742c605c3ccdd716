import { zodResolver } from '@hookform/resolvers/zod';
import type { TadaDocumentNode } from 'gql.tada';
import { type DefaultValues, type FieldValues, type UseFormReturn, useForm } from 'react-hook-form';
import type { AnyVariables } from 'urql';
import type * as z from 'zod/mini';
import type { RequestError } from '../request-error.ts';
import { type PayloadOf, useSend } from '../requests.ts';
import { type FieldMapping, showServerError } from './server-errors.ts';

interface Options<Values extends FieldValues, Output, Data, Variables extends AnyVariables> {
  /** Checks the values before they are sent, and converts them. */
  readonly schema: z.ZodMiniType<Output, Values>;
  readonly defaultValues: Values;
  /** Shows errors while the user types. By default fields are checked when the form is submitted. */
  readonly checksOnChange?: boolean;
  readonly mutation: TadaDocumentNode<Data, Variables>;
  readonly variables: (output: Output) => Variables;
  readonly onSuccess: (payload: PayloadOf<Data>, output: Output) => void;
  readonly mapField?: FieldMapping<Values>;
  /** Returns true if it handled the error, which the form then does not show. */
  readonly onError?: (error: RequestError) => boolean;
}

/** What `Form` and `FormDialog` need of a form. */
export interface Submission {
  readonly submit: () => Promise<void>;
  readonly busy: boolean;
  /** An error that belongs to no field. */
  readonly message: string | undefined;
}

export interface MutationForm<Values extends FieldValues, Output>
  extends Pick<
      UseFormReturn<Values, unknown, Output>,
      'control' | 'formState' | 'setValue' | 'getValues' | 'setError' | 'reset'
    >,
    Submission {}

/** A form that sends one mutation. Errors of the schema and of the service appear at their fields. */
export function useMutationForm<Values extends FieldValues, Output, Data, Variables extends AnyVariables>({
  schema,
  defaultValues,
  checksOnChange = false,
  mutation,
  variables,
  onSuccess,
  mapField,
  onError = () => false,
}: Options<Values, Output, Data, Variables>): MutationForm<Values, Output> {
  const send = useSend(mutation);
  const form = useForm<Values, unknown, Output>({
    resolver: zodResolver(schema),
    defaultValues: defaultValues as DefaultValues<Values>,
    mode: checksOnChange ? 'onChange' : 'onSubmit',
  });
  const submit = form.handleSubmit(async (output) => {
    const { data, error } = await send(variables(output));
    if (!error) onSuccess(data, output);
    else if (!onError(error)) showServerError(form, error, mapField);
  });
  const { control, formState, setValue, getValues, setError, reset } = form;
  return {
    ...{ control, formState, setValue, getValues, setError, reset },
    submit: () => submit(),
    busy: formState.isSubmitting,
    message: formState.errors.root?.message,
  };
}
