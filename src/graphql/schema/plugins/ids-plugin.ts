import SchemaBuilder, {
  BasePlugin,
  createInputValueMapper,
  type FieldRequiredness,
  type InputType,
  mapInputFields,
  type PothosInputFieldConfig,
  type PothosOutputFieldConfig,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { ServiceError } from '../../../contract/errors.ts';
import { isStorable } from '../../../operation/storable-text.ts';

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      ids: IdsPlugin<Types>;
    }
    export interface InputFieldOptions<
      Types extends SchemaTypes = SchemaTypes,
      Type extends InputType<Types> | [InputType<Types>] = InputType<Types> | [InputType<Types>],
      Req extends FieldRequiredness<Type> = FieldRequiredness<Type>,
    > {
      /** The node type that the ID belongs to. The GraphQL API accepts its global ID and its public ID. */
      idOf?: string;
    }
  }
}

type Resolve<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/** Replaces global IDs in arguments and input fields by public IDs. REST knows only public IDs. */
class IdsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override onInputFieldConfig(config: PothosInputFieldConfig<Types>): PothosInputFieldConfig<Types> {
    const { idOf } = config.pothosOptions as { readonly idOf?: string };
    return idOf ? { ...config, extensions: { ...config.extensions, idOf } } : config;
  }

  override wrapResolve(resolve: Resolve<Types>, field: PothosOutputFieldConfig<Types>): Resolve<Types> {
    const { publicOnly } = this.options as { readonly publicOnly?: boolean };
    const mappings = mapInputFields(field.args, this.buildCache, typeOf);
    if (!mappings || !publicOnly) return resolve;
    const replace = createInputValueMapper(mappings, (value, { config }) =>
      publicIdOf(String(value), typeOf(config) ?? '', config.name),
    );
    return (source, args, context, info) => resolve(source, replace(args), context, info);
  }
}

function typeOf<Types extends SchemaTypes>({ extensions }: PothosInputFieldConfig<Types>): string | null {
  return (extensions as { readonly idOf?: string } | undefined)?.idOf ?? null;
}

/**
 * The public ID for a global or public ID. A text that is no global ID is a public ID.
 * @throws {ServiceError} invalid_request for a global ID of another type
 */
function publicIdOf(text: string, typename: string, param: string): string {
  const decoded = Buffer.from(text, 'base64').toString();
  const [, type, id = ''] = /^([A-Z][A-Za-z]*):(.+)$/s.exec(decoded) ?? [];
  if (type === undefined || Buffer.from(decoded).toString('base64') !== text) return text;
  if (type === typename && isStorable(id)) return id;
  const message = `{param} must be an ID of the type ${typename}. You sent the \`id\` of another type.`;
  throw new ServiceError('invalid_request', message, { param: [param] });
}

SchemaBuilder.registerPlugin('ids', IdsPlugin);
